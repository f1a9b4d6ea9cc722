/**
 * Fetches pages of stored outputs, and shows a page that was recorded as a result: as it is, or,
 * where there is no room for it, its beginning with the call that goes on.
 */
import { SpillwayError } from '../model/errors.ts';
import type { FetchHint } from '../model/fetch.ts';
import type { Format } from '../model/format.ts';
import type { OutputRecord } from '../model/output.ts';
import type { PathEngine } from '../model/path.ts';
import type { PatternEngine } from '../model/pattern.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import type { Effective } from '../policy/resolve.ts';
import type { Projected } from '../projection/project.ts';
import type { FetchedPage } from '../retrieval/fetched.ts';
import { type FetchRequest, parseRequest, type Want } from '../retrieval/request.ts';
import { retrieve } from '../retrieval/retrieve.ts';
import { untilAborted } from '../text/abortable.ts';
import type { Projector } from './projector.ts';
import { asSmallerPage, type RecordedPage } from './recorded-page.ts';

export interface PagesOptions {
  readonly projector: Projector;
  readonly hint: FetchHint;
  /** Formats beyond the built-in ones. */
  readonly formats: readonly Format[];
  readonly patterns: PatternEngine | (() => Promise<PatternEngine>) | null;
  readonly paths: PathEngine | null;
}

export class Pages {
  readonly #options: PagesOptions;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  async fetch(
    store: Store,
    record: OutputRecord,
    request: FetchRequest,
    pageLimit: number,
    { signal }: WaitOptions = {},
  ): Promise<FetchedPage> {
    const { hint, paths } = this.#options;
    const patterns = await untilAborted(this.#patterns(request.want), signal);
    return retrieve({ store, hint, patterns, paths, pageLimit }, record, request);
  }

  /** A recorded page in so many chars. */
  async project(
    store: Store,
    record: OutputRecord,
    effective: Effective,
    page: RecordedPage,
    chars: number,
  ): Promise<Projected> {
    const whole = await this.#options.projector.projectStored(store, record, effective);
    if (page.part.chars <= chars) return whole;
    const smaller = await this.#smaller(store, record, page, chars);
    return smaller === null ? whole : asSmallerPage(whole, page, smaller);
  }

  /**
   * The same page with fewer chars; null if it cannot be fetched any more, or not so that it is a
   * beginning of the recorded one.
   */
  async #smaller(
    store: Store,
    { scope }: OutputRecord,
    { source, args, notice, body }: RecordedPage,
    chars: number,
  ): Promise<FetchedPage | null> {
    if (notice === '' || args === null) return null;
    const found = await store.find({ scope, id: source });
    if (found === undefined || 'purgedAt' in found) return null;
    try {
      const smaller = await this.fetch(store, found, parseRequest(args, this.#options.formats), chars);
      return smaller.body !== '' && body.startsWith(smaller.body) ? smaller : null;
    } catch (error) {
      if (error instanceof SpillwayError) return null;
      throw error;
    }
  }

  /** Only what needs patterns waits for the engine behind them. */
  async #patterns(want: Want): Promise<PatternEngine | null> {
    const { patterns } = this.#options;
    if (typeof patterns !== 'function') return patterns;
    const isNeeded =
      want.kind === 'pattern' || (want.kind === 'structure' && want.address.usesPatterns === true);
    return isNeeded ? patterns() : null;
  }
}
