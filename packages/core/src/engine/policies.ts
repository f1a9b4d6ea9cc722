/**
 * The policy of each call and of each stored output: the settings of the installation, of its
 * session and of the call. What was fetched from an artifact has the limit of pages, because it was
 * made to fit already.
 */
import type { ArtifactId } from '../model/artifact.ts';
import type { FetchHint } from '../model/fetch.ts';
import type { Call, OutputRecord } from '../model/output.ts';
import type { PolicyPatch, SettingsInput } from '../model/policy.ts';
import type { Store, WaitOptions } from '../model/store.ts';
import type { ProjectOptions } from '../options.ts';
import { type Effective, withPageLimit } from '../policy/resolve.ts';
import { parseSettings } from '../policy/settings.ts';
import { withSignal } from '../stores/with-signal.ts';
import type { Projector } from './projector.ts';
import { artifactIn, type RecordedPage, recordedPage } from './recorded-page.ts';

export interface PoliciesOptions {
  readonly store: Store | null;
  readonly projector: Projector;
  readonly hint: FetchHint;
}

/** The policy of a stored output, and the page that it is, if it is one. */
export interface StoredPolicy {
  readonly effective: Effective;
  readonly page: RecordedPage | null;
}

export class Policies {
  readonly #options: PoliciesOptions;
  readonly #sessions = new Map<string, PolicyPatch>();

  constructor(options: PoliciesOptions) {
    this.#options = options;
  }

  /** Gives a session settings of its own; null takes them away. */
  configureSession(session: string, settings: SettingsInput | null): void {
    if (settings === null) this.#sessions.delete(session);
    else this.#sessions.set(session, parseSettings(settings));
  }

  /** The policy by name alone, whatever the result is. */
  of(
    { tool, session }: { readonly tool: string; readonly session?: string | undefined },
    policy?: SettingsInput,
  ): Effective {
    const own = session === undefined ? undefined : this.#sessions.get(session);
    return this.#options.projector.effective(tool, own, policy);
  }

  async ofCall(call: Call, options: ProjectOptions): Promise<Effective> {
    const effective = this.of(call, options.policy);
    if (!isForModel(options) || !this.fetches(call)) return effective;
    // A limit that was given for this very call is meant.
    if (effective.origins.inlineLimit.source === 'call') return effective;
    return withPageLimit(effective, await this.#pageLimitOf(call.scope, artifactIn(call.input), options));
  }

  /** The same for what is stored: a recorded page is known by what it says, too. */
  async ofStored(record: OutputRecord, options: ProjectOptions): Promise<StoredPolicy> {
    const effective = this.of(record, options.policy);
    const { store } = this.#options;
    if (effective.policy.strategy === 'none' || !isForModel(options) || store === null)
      return { effective, page: null };
    const page = await recordedPage(withSignal(store, options.signal), record);
    if (page === null) return { effective, page };
    const limit = await this.#pageLimitOf(record.scope, page.source, options);
    // More than a page can have was not made by us, or under other settings: it is bounded like any
    // result.
    if (page.part.chars > Math.max(limit, effective.policy.inlineLimit)) return { effective, page: null };
    return { effective: withPageLimit(effective, limit), page };
  }

  /**
   * Whether a call fetches from an artifact, by its arguments or by the name of the tool for it.
   */
  fetches({ input, tool }: Call): boolean {
    const { hint } = this.#options;
    return artifactIn(input) !== null || (hint.kind === 'tool' && tool === hint.name);
  }

  /** The chars that a page of an artifact may have. */
  async #pageLimitOf(scope: string, id: ArtifactId | null, { signal }: WaitOptions): Promise<number> {
    const { store } = this.#options;
    const wait = signal === undefined ? {} : { signal };
    const found = id === null ? undefined : await store?.find({ scope, id }, wait).catch(() => undefined);
    signal?.throwIfAborted();
    const named = found === undefined || 'purgedAt' in found ? { tool: 'get_artifact' } : found;
    return this.of(named).policy.pageLimit;
  }
}

/** Pages are made for models; a stream or a screen has limits of its own. */
function isForModel({ audience = 'model' }: ProjectOptions): boolean {
  return audience === 'model';
}
