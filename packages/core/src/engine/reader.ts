/**
 * Reads stored outputs for people: lines by number, searches, which lines a model was shown, which
 * tell of errors, and what other settings would show. Nothing of it is noted in the ledger, nothing
 * is frozen, and outputs whose handle was retired can still be read. Lines count from 1.
 */
import { readsFile } from '../capture/call-purpose.ts';
import { partsOf, type Spillway } from '../engine.ts';
import { invalidArgument, SpillwayError } from '../model/errors.ts';
import { endedBadly } from '../model/outcome.ts';
import type { OutputName, OutputRecord } from '../model/output.ts';
import type { PartRecord } from '../model/part.ts';
import { FIELD_NAMES, type SettingsInput } from '../model/policy.ts';
import type { ProjectionRecord } from '../model/projection.ts';
import type { WaitOptions } from '../model/store.ts';
import type { Effective } from '../policy/resolve.ts';
import { parseSettings } from '../policy/settings.ts';
import type { PartReasons } from '../projection/project.ts';
import {
  escaped,
  type FoundLine,
  findLines,
  type Sought,
  soughtPattern,
  soughtText,
} from '../retrieval/find-lines.ts';
import { type LineRange, type LineText, openStyle, readChars, readLines } from '../retrieval/line-ranges.ts';
import { type PartView, viewOf } from '../retrieval/shown-lines.ts';
import { type StoredPartReader, StoredParts } from '../retrieval/stored-parts.ts';
import { type TextOrigin, textOrigins } from '../retrieval/text-origins.ts';
import { pauseAtTimes } from '../text/pause.ts';
import { PieceCutter, storedPieces } from '../text/pieces.ts';
import { encode } from '../text/utf8.ts';
import { LineFindings } from '../vocabulary/found-lines.ts';
import { standardVocabulary } from '../vocabulary/vocabulary.ts';
import { REFUSED_ARGUMENT } from '../wording/refused-fetches.ts';
import type { Projector } from './project.ts';
import { inputOf } from './recorded-page.ts';
import { type Setup, storeFor } from './setup.ts';

/** Which lines to read. */
export interface LinesOptions extends WaitOptions {
  /** Index of the part. */
  readonly part: number;
  /** Numbers of lines, from 1. */
  readonly ranges: readonly LineRange[];
  /** Chars of each line that are wanted. Default: all of them. */
  readonly clip?: number;
}

/** What to look for in a part. */
export interface FindOptions extends WaitOptions {
  /** Index of the part. */
  readonly part: number;
  /** A text as it is. */
  readonly text?: string;
  /** Whether upper and lower case differ. Default: false. */
  readonly matchCase?: boolean;
  /** A pattern, instead of a text. */
  readonly pattern?: string;
  /** Only lines behind this one. */
  readonly after?: number;
}

/** A range of a part. */
export interface CharRange extends WaitOptions {
  /** Index of the part. */
  readonly part: number;
  /** The first char that is wanted; 1 is the first of the part. */
  readonly from: number;
  /** How many chars are wanted. */
  readonly chars: number;
}

/** As whose output to preview, and who is told how far it is. */
export interface PreviewsOptions extends WaitOptions {
  /** Settings of this tool apply. Default: those of the output's own. */
  readonly tool?: string;
  /** Told of every piece that was read: its bytes. */
  readonly seen?: (bytes: number) => void;
}

/** What would be shown, and why. */
export interface PreviewedProjection {
  /** The projection, as a store would keep it. */
  readonly record: ProjectionRecord;
  /** Why each part shows what it shows. */
  readonly reasons: readonly PartReasons[];
}

/** What a projection shows of an output. */
export type ShownProjection = Pick<ProjectionRecord, 'projection' | 'selections'>;

/** Lines of one kind in a part, and how many of them a model was shown. */
export interface LineTally {
  /** How many there are. */
  readonly total: number;
  /** How many of them the model was shown. */
  readonly shown: number;
  /** Numbers of the first 20,000. */
  readonly lines: readonly number[];
}

/** What was found in a part. */
export interface PartFindings {
  /** Lines that tell of an error. */
  readonly errors: LineTally;
  /** Lines that tell of a warning. */
  readonly warnings: LineTally;
}

/** Reads the stored outputs of a Spillway for people: notes nothing in the ledger. */
export function readerOf(spillway: Spillway): OutputReader {
  const { setup, projector } = partsOf(spillway);
  return new OutputReader(setup, projector);
}

/** Reads stored outputs for people. */
export class OutputReader {
  readonly #setup: Setup;
  readonly #projector: Projector;

  /** @internal */
  constructor(setup: Setup, projector: Projector) {
    this.#setup = setup;
    this.#projector = projector;
  }

  /** The output under a handle, also one that was retired. */
  async find({ scope, id }: OutputName, wait: WaitOptions = {}): Promise<OutputRecord> {
    const found = await storeFor(this.#setup).find({ scope, id }, wait);
    if (found === undefined) throw new SpillwayError('not_found', `There is no artifact ${id} here.`);
    if ('purgedAt' in found) throw new SpillwayError('gone', `Artifact ${id} is no longer kept.`);
    return found;
  }

  /** What it was given and what it said, part by part: the first `most` of them. */
  async parts(name: OutputName, most = 200, wait: WaitOptions = {}): Promise<readonly PartRecord[]> {
    const record = await this.find(name, wait);
    const store = storeFor(this.#setup, wait);
    const parts: PartRecord[] = record.parts.filter(({ role }) => role === 'input');
    for await (const { part } of new StoredParts(store, record).content(() => true)) {
      if (parts.length >= most) break;
      parts.push(part);
    }
    return parts;
  }

  /** Lines of a part, range by range. */
  async *lines(
    name: OutputName,
    { part, ranges, clip, signal }: LinesOptions,
  ): AsyncGenerator<LineText & { readonly range: number }> {
    const reader = await this.#part(name, part);
    for (const [range, wanted] of ranges.entries())
      for await (const line of readLines(reader, wanted, clip ?? Number.POSITIVE_INFINITY, signal))
        yield { ...line, range };
  }

  /** The escape sequences of colours that are in force where each of these lines begins. */
  async stylesAt(
    name: OutputName,
    part: number,
    lines: readonly number[],
    { signal }: WaitOptions = {},
  ): Promise<readonly string[]> {
    const reader = await this.#part(name, part);
    const styles: string[] = [];
    for (const line of lines) styles.push(await openStyle(reader, line, signal));
    return styles;
  }

  /** A range of a part: `chars` of it from the char `from` on. */
  async chars(name: OutputName, { part, from, chars, signal }: CharRange): Promise<string> {
    return readChars(await this.#part(name, part), from, chars, signal);
  }

  /**
   * Where a text occurs, or the lines that match a pattern, kept or left out: some at a time. A text
   * is found as often as a line holds it.
   */
  async *search(name: OutputName, options: FindOptions): AsyncGenerator<readonly FoundLine[]> {
    const reader = await this.#part(name, options.part);
    yield* findLines(reader, await this.#sought(options), (options.after ?? 0) + 1, options.signal);
  }

  /** Which lines of a part a projection shows. */
  async view(
    name: OutputName,
    part: number,
    projection: ShownProjection,
    wait: WaitOptions = {},
  ): Promise<PartView> {
    return viewOf(await this.#part(name, part, wait), projection);
  }

  /** Which chars of a projection's text stand in the output, and where; not those of markers. */
  origins(
    name: OutputName,
    projection: ShownProjection,
    wait: WaitOptions = {},
  ): Promise<readonly TextOrigin[]> {
    return textOrigins(projection, (part) => this.#part(name, part, wait));
  }

  /**
   * The lines of a part that tell of errors and warnings. Reads all of it. Where the call did not
   * fail, and in files, only lines count that surely tell of a failure.
   */
  async findings(
    name: OutputName,
    part: number,
    isShown: (line: number) => boolean,
    { signal }: WaitOptions = {},
  ): Promise<PartFindings> {
    const record = await this.find(name);
    const reader = await this.#part(record, part);
    // What the call was given matters only if it ended badly.
    const input = endedBadly(record.outcome) ? await inputOf(storeFor(this.#setup), record) : undefined;
    const evidence = evidenceIn({ ...record, input });
    const found = new LineFindings(this.#projector.vocabulary, evidence, isShown);
    const { at, pieces } = await reader.read({ bytes: 0 }, signal);
    for await (const piece of storedPieces(at, pieces)) {
      found.push(piece);
      await pauseAtTimes();
      signal?.throwIfAborted();
    }
    found.finish();
    return {
      errors: { ...found.errors, shown: found.shown.errors },
      warnings: { ...found.warnings, shown: found.shown.warnings },
    };
  }

  /** An output under several settings. It is read once, and nothing is frozen. */
  async previews(
    name: OutputName,
    settings: readonly SettingsInput[],
    { tool, signal, seen }: PreviewsOptions = {},
  ): Promise<readonly PreviewedProjection[]> {
    const projector = this.#projector;
    const found = await this.find(name);
    const record = tool === undefined ? found : { ...found, tool };
    const effective: Effective[] = [];
    for (const policy of settings)
      effective.push((await projector.policyOfStored(record, { policy })).effective);
    const about = (await storeFor(this.#setup).frozen(record.id, 'model'))?.about;
    const store = storeFor(this.#setup);
    const made = await projector.projectStored(store, record, effective, {
      about,
      seen,
      ...(signal === undefined ? {} : { signal }),
    });
    return made.map((projected, i) => ({
      record: projector.record(record.id, 'model', effective[i] as Effective, projected),
      reasons: projected.reasons,
    }));
  }

  /**
   * Settings under which a new projection would be made as a frozen one was: those of its policy
   * that are not in force now.
   */
  settingsOf(name: Pick<OutputRecord, 'tool' | 'session'>, { policy }: ProjectionRecord): SettingsInput {
    const now = this.#projector.policyOf(name).policy;
    const changed = FIELD_NAMES.filter(
      (field) => policy[field] !== undefined && policy[field] !== now[field],
    );
    return parseSettings(Object.fromEntries(changed.map((field) => [field, policy[field]])));
  }

  async #sought({ text, matchCase = false, pattern }: FindOptions): Promise<Sought> {
    if (text !== undefined && (matchCase || isAscii(text))) return soughtText(text, matchCase);
    const engine = await this.#setup.patterns?.();
    if (engine === undefined) throw invalidArgument(REFUSED_ARGUMENT.noPatterns);
    return soughtPattern(engine, pattern ?? `(?i)${escaped(text ?? '')}`);
  }

  async #part(name: OutputName, index: number, wait: WaitOptions = {}): Promise<StoredPartReader> {
    const parts = new StoredParts(storeFor(this.#setup, wait), await this.find(name, wait));
    const reader = await parts.at(index);
    if (reader !== null) return reader;
    throw new SpillwayError('not_found', `The artifact ${name.id} has no part ${index}.`);
  }
}

/** How a text came to be. */
export interface TextSource extends Pick<OutputRecord, 'tool' | 'outcome'> {
  /** What the tool was given. */
  readonly input: unknown;
}

/** Numbers of the lines of a text that tell of errors, from 1: those that `findings` counts. */
export function errorLines(text: string, source: TextSource): readonly number[] {
  const found = new LineFindings(standardVocabulary(), evidenceIn(source), () => false);
  const cutter = new PieceCutter('text');
  for (const piece of cutter.push(encode(text))) found.push(piece);
  for (const piece of cutter.finish()) found.push(piece);
  found.finish();
  return found.errors.lines;
}

function evidenceIn({ tool, input, outcome }: TextSource): 'any' | 'sure' {
  return endedBadly(outcome) && !readsFile(tool, input) ? 'any' : 'sure';
}

function isAscii(text: string): boolean {
  return [...text].every((char) => (char.codePointAt(0) ?? 0) < 0x80);
}
