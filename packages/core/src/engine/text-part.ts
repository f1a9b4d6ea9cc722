/**
 * One text part: takes its pieces and decides what to keep. Text that fits is shown as it is.
 * Anything else becomes a table of rows; `decide` picks a strategy on the whole text, the strategy
 * ranks, and one fit takes rows within the share. If a strategy throws, the plain ends are shown.
 */
import { commandIn, filePrinted, simpleCommands } from '../capture/call-purpose.ts';
import { pathIn } from '../detect/hints.ts';
import { type Extent, NOTHING, sum } from '../model/extent.ts';
import type { PartText, Selected } from '../model/part-text.ts';
import type { Piece } from '../model/piece.ts';
import type { Plan, PlanFacts } from '../model/plan.ts';
import type { Selection } from '../model/selection.ts';
import type { Share } from '../model/strategy.ts';
import { MIN_ADAPTED_CHARS } from '../policy/adaptive.ts';
import { wholeChars } from '../projection/project.ts';
import { PLAIN } from '../projection/section.ts';
import { repeatsItself } from '../strategies/alike.ts';
import { decide, isLog } from '../strategies/decide.ts';
import { END_RULES } from '../strategies/ends.ts';
import type { Evidence } from '../strategies/failures/failure-scores.ts';
import { planOf } from '../strategies/outline/index.ts';
import { standsOut } from '../strategies/summary.ts';
import { enoughOf } from '../table/plan.ts';
import { textsOf } from '../table/table-cover.ts';
import { controlsIn } from '../text/byte-scan.ts';
import { isLineStart } from '../text/cut.ts';
import { lazy } from '../text/memo.ts';
import { decode } from '../text/utf8.ts';
import { type Kept, KeptRows } from './kept-rows.ts';
import { asksLines, keepsDocuments, type TextFacts, TextTable } from './text-table.ts';

/** Most outputs are shorter, so all of them is known before a decision. */
const HOLD_BYTES = 131_072;
/** For text under `element`, and where a format gives up. */
const TEXT_STRATEGY = 'head_tail';
const CR = 13;
/** Fewer lines do not tell whether a text is repetitive. */
const LEAST_LINES = 50;

interface Decided {
  readonly name: string;
  readonly why: string | null;
  readonly kept: Kept;
}

/** How the format of a text selects, and whether the text follows it. */
interface FollowedFormat {
  /** Null if it reads a document. */
  readonly plan: Plan | null;
  readonly isFollowed: boolean;
}

interface Finished {
  readonly text: TextTable;
  readonly rows: KeptRows;
}

export class TextPart implements PartText {
  readonly #facts: TextFacts;
  #raw: Piece[] | null = [];
  #held: Piece[] = [];
  #total: Extent = NOTHING;
  #illFormed = 0;
  #last: Uint8Array = new Uint8Array(0);
  #text: TextTable | undefined;
  #finished: Finished | undefined;
  #isNew: ((shape: number) => boolean) | undefined;

  constructor(facts: TextFacts) {
    this.#facts = facts;
  }

  push(piece: Piece): void {
    this.#total = sum(this.#total, piece.extent);
    this.#illFormed += piece.illFormed;
    this.#last = piece.bytes;
    if (this.#raw !== null) {
      const { reachChars, policy } = this.#facts;
      if (this.#total.chars <= Math.max(reachChars, wholeChars(policy))) this.#raw.push(piece);
      else this.#raw = null;
    }
    if (this.#text !== undefined) this.#text.push(piece);
    else {
      this.#held.push(piece);
      if (this.#total.bytes > HOLD_BYTES) this.#begin();
    }
  }

  /** Documents stay valid by themselves and are not joined. */
  lines(): readonly Piece[] | null {
    const first = this.#held[0]?.bytes;
    if (first === undefined || this.#text !== undefined) return null;
    const isDocument = /^\s*(?:\{|\[\s*(?:["{[\d\]-]|true|false|null)|<[!?a-zA-Z])/.test(
      decode(first.subarray(0, 200)),
    );
    return isDocument || this.#last.at(-1) === CR ? null : this.#held;
  }

  compare(isNew: (shape: number) => boolean): void {
    this.#isNew = isNew;
    if (this.#text !== undefined) this.#text.isNew = isNew;
  }

  distinct(): number {
    if (this.#total.chars <= MIN_ADAPTED_CHARS) return 1;
    const { rows, kinds } = this.#finish().text.table.totals;
    return rows < LEAST_LINES ? 1 : kinds / rows;
  }

  select(share: Share): Selected {
    const isOpen = this.#last.length > 0 && !isLineStart(this.#last, this.#last.length);
    const lines = this.#total.breaks + (isOpen ? 1 : 0);
    const fits = this.#total.chars <= share.chars && lines <= share.lines;
    const isAsIs = fits && this.#raw !== null && (share.asIs === true || !this.#hasFormatting());
    if (isAsIs && this.#illFormed === 0) return this.#whole(lines);
    const finished = this.#finish();
    const { withheld } = finished.text;
    if (withheld !== null) return this.#nothing(lines, withheld);
    return isAsIs ? this.#whole(lines) : this.#selected(share, finished);
  }

  #whole(lines: number): Selected {
    const bytes = Buffer.concat((this.#raw ?? []).map((piece) => piece.bytes));
    const { chars } = this.#total;
    const selection: Selection =
      bytes.length === 0 ? [] : [{ kind: 'keep', start: 0, end: bytes.length, chars, lines }];
    const { strategy } = this.#facts.policy;
    const decidedBy = strategy === 'element' ? TEXT_STRATEGY : strategy;
    return { ...PLAIN, decidedBy, selection, texts: selection.map(() => decode(bytes)) };
  }

  /** Binary: nothing is shown, everything counts as omitted. */
  #nothing(lines: number, withheld: string): Selected {
    const { bytes: end, chars } = this.#total;
    const selection: Selection = [
      { kind: 'omit', start: 0, end, chars, lines, firstLine: 1, lastLine: lines },
    ];
    return { ...PLAIN, decidedBy: 'binary', why: 'it is no text', selection, texts: [''], withheld };
  }

  #selected(share: Share, { text, rows }: Finished): Selected {
    let error: string | null = null;
    let decided: Decided;
    try {
      decided = this.#decide(share, text, rows);
    } catch (thrown) {
      error = errorName(thrown);
      decided = { name: TEXT_STRATEGY, why: null, kept: rows.plainEnds(share) };
    }
    const { name, why, kept } = decided;
    const isDocument = text.format?.staysValid === true && name !== 'none';
    const asksFormat = asksLines(this.#facts) || keepsDocuments(this.#facts);
    const failure = text.isPlanned && name !== 'element' ? 'its lines do not follow it' : text.formatFailure;
    const fallback = isDocument && asksFormat ? failure : null;
    return {
      ...{ ...PLAIN, texts: kept.texts ?? textsOf(text.table, kept.selection), ...kept, why, error },
      decidedBy: name,
      fallback: error === null ? fallback : `${this.#facts.policy.strategy} failed (${error})`,
    };
  }

  /** Only the chosen strategy ranks. */
  #decide(share: Share, text: TextTable, rows: KeptRows): Decided {
    const { policy, added } = this.#facts;
    const { strategy } = policy;
    const format = this.#formatOf(share, text, rows);
    const byFormat = (why: string | null): Decided => ({
      ...{ name: 'element', why },
      kept: rows.byFormat(share, format().plan),
    });
    if (keepsDocuments(this.#facts) && text.format?.staysValid === true && format().isFollowed)
      return byFormat(`a default strategy decides about text, and it is ${text.detected?.kind}`);
    const evidence = () => this.#evidence(share, text, 'sure');
    const own = added(strategy);
    if (own !== undefined) return { name: strategy, why: null, kept: rows.ranked(own, share, evidence()) };
    if (strategy === 'auto' && policy.contentDetection) return this.#auto(share, text, rows, format);
    if (strategy === 'none') return { name: 'none', why: null, kept: rows.everything() };
    const byKind = (): Decided | null => {
      if (format().isFollowed) return byFormat(null);
      const plan = text.isPlanned ? this.#outlinePlan(share, text, rows) : null;
      return plan === null ? null : { name: 'element', why: null, kept: rows.outlined(plan, share) };
    };
    if (strategy === 'smart_summary') {
      // The summary decides where something failed; elsewhere the kind of the text, if it is known.
      const found = this.#evidence(share, text, 'supported');
      const decided = text.hasFindings(found) ? null : byKind();
      return decided ?? { name: strategy, why: null, kept: rows.summary(share, found) };
    }
    const decided = strategy === 'element' ? byKind() : null;
    if (decided !== null) return decided;
    const name = strategy === 'element' || strategy === 'auto' ? TEXT_STRATEGY : strategy;
    if (name === 'reading') return { name, why: null, kept: this.#read(share, rows) };
    const rule = END_RULES[name];
    if (rule === undefined) throw new RangeError(`there is no strategy ${name}`);
    return { name, why: null, kept: rows.ends(share, evidence(), rule(policy)) };
  }

  #read(share: Share, rows: KeptRows): Kept {
    return rows.reading(share, this.#facts.isFile ? 'blocks' : 'lines');
  }

  #auto(share: Share, text: TextTable, rows: KeptRows, format: () => FollowedFormat): Decided {
    const { policy } = this.#facts;
    const { isCommand } = text.purpose();
    const failed = share.ended === 'badly';
    const evidence: Evidence = text.isPrinted ? 'any' : 'supported';
    const isDocument = text.format?.staysValid === true;
    // A listing is one also where a folder could not be read.
    const isAsked = !isDocument && (!failed || text.detected?.kind === 'listing');
    // Without its formatting the text may fit as it is. No row is made of a document that is valid.
    const hasPlan = isAsked && text.table.totals.clean.chars > share.chars;
    const plan = hasPlan ? this.#outlinePlan(share, text, rows) : null;
    if (plan !== null && (plan.isQuoted || !text.hasErrors('sure')))
      return { name: plan.strategy, why: plan.why, kept: rows.outlined(plan, share) };
    // Source code is read: declarations alone do not say what it does.
    const hasElement =
      text.detected?.kind !== 'code' && format().isFollowed && (isDocument || !repeatsItself(text.table));
    const { choice, why } = decide({
      ...text.purpose(),
      kinds: text.kinds,
      element: !hasElement ? null : isDocument ? 'valid document' : 'lines',
      failed,
      hasErrors: (which) => text.hasErrors(which === 'sure' ? 'sure' : evidence),
      isRepetitive: () => text.table.totals.clean.chars > share.chars && text.isRepetitive,
      standsOut: () => standsOut(rows.summaryParts(evidence), text.unusual, share),
    });
    // Of what a command printed that went well, less than the limit is enough.
    const isRead = this.#facts.isFile || text.purpose().isSearch || !isCommand;
    const room = share.ended === 'well' && !isRead ? enoughOf(share.chars, policy) : share.chars;
    const enough = { ...share, chars: room };
    if (choice === 'element') return { name: choice, why, kept: rows.byFormat(enough, format().plan) };
    if (choice === 'smart') return { name: 'smart_summary', why, kept: rows.summary(share, evidence) };
    if (choice === 'reading') return { name: choice, why, kept: this.#read(enough, rows) };
    const name = failed && isCommand ? 'tail' : TEXT_STRATEGY;
    const found = failed || text.isPrinted ? 'any' : 'sure';
    return { name, why, kept: rows.ends(enough, found, END_RULES[name]?.(policy)) };
  }

  /** By the shape of the text and the purpose of the command. */
  #outlinePlan(share: Share, text: TextTable, rows: KeptRows): Plan | null {
    const { isFile, about } = this.#facts;
    // If the purpose of a read is known, it gets the room.
    return isFile && about !== undefined ? null : planOf(rows.rows(), this.#planFacts(share, text));
  }

  #formatOf(share: Share, text: TextTable, rows: KeptRows): () => FollowedFormat {
    return lazy(() => {
      if (!text.isPlanned)
        return { plan: null, isFollowed: text.reader !== null && text.formatFailure === null };
      const plan = text.format?.plan?.(rows.rows(), this.#planFacts(share, text)) ?? null;
      return { plan, isFollowed: plan !== null };
    });
  }

  #planFacts(share: Share, text: TextTable): PlanFacts {
    const { spec, tool, input, isFile, policy } = this.#facts;
    const path = spec.name === 'stderr' ? '' : (filePrinted(tool, input) ?? pathIn(input) ?? '');
    const [command] = (simpleCommands(commandIn(input)) ?? []).filter(({ words }) => words[0] !== 'cd');
    const words = command?.words ?? [];
    const purpose = text.purpose();
    return {
      ...purpose,
      policy,
      words,
      detected: text.detected ?? { kind: 'text' },
      path: path === '' && isFile ? (words.at(-1) ?? '') : path,
      enough: enoughOf(share.chars, policy),
      unusual: () => text.unusual,
      endedWell: share.ended === 'well',
      wentWell: () => share.ended === 'well' || !text.hasErrors('any'),
      isLog: () =>
        (share.ended !== 'well' && text.hasErrors('any')) || isLog({ ...purpose, kinds: text.kinds }),
    };
  }

  /** Any error line if the tool printed it or the command failed; else sure ones. */
  #evidence(share: Share, { format, isPrinted }: TextTable, otherwise: 'sure' | 'supported'): Evidence {
    if (isPrinted || (otherwise === 'supported' && format?.staysValid === true)) return 'any';
    const { spec, tool } = this.#facts;
    const isOfCommand = spec.name === 'stdout' || spec.name === 'stderr' || tool === 'execute_command';
    return share.ended === 'badly' && isOfCommand && format?.errorLines !== 'quoted' ? 'any' : otherwise;
  }

  /** Asked of a text that may be shown whole. */
  #hasFormatting(): boolean {
    if (!this.#facts.cleans) return false;
    return (
      this.#text?.hasFormatting ?? this.#held.some(({ bytes }) => controlsIn(bytes, bytes.length).length > 0)
    );
  }

  #begin(): TextTable {
    const text = new TextTable(this.#facts, this.#total.bytes);
    text.isNew = this.#isNew;
    this.#text = text;
    for (const piece of this.#held.splice(0)) text.push(piece);
    return text;
  }

  #finish(): Finished {
    if (this.#finished === undefined) {
      const text = this.#text ?? this.#begin();
      text.finish();
      this.#finished = { text, rows: new KeptRows(text, this.#facts) };
    }
    return this.#finished;
  }
}

/** As a single word: an error may have any name. */
export function errorName(error: unknown): string {
  const name = error instanceof Error ? error.name : 'Error';
  return /^\w{1,40}$/.test(name) ? name : 'Error';
}
