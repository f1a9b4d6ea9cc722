/**
 * `auto`: the content decides, all of it. Samples of the text tell what it is; the strategies that
 * come into question run side by side until its end (contest.ts); then what is known of text and
 * call decides which of them answers (decide.ts). A text that is held whole and fits as it is needs
 * no decision.
 */
import type { ContentKind, Detected } from '../../model/content.ts';
import type { ByteRange } from '../../model/extent.ts';
import type { Piece } from '../../model/piece.ts';
import type { Selection } from '../../model/selection.ts';
import type { Findings, Grammar, KeptLines, Selector, Share, Strategy } from '../../model/strategy.ts';
import type { DocumentRoom } from '../deferred.ts';
import { Contest } from './contest.ts';
import { type AutoChoice, type AutoEvidence, decide, mostlyPrinted } from './decide.ts';
import { LazyKinds } from './lazy-kinds.ts';
import { isPossible } from './possible.ts';
import { TextWindows } from './text-windows.ts';

/** Samples that lie within what is held, whatever the chunks. */
const SAMPLES_HELD = 3;
/** So many samples settle whether a text is a log. */
const SETTLED = 6;

export interface AutoOptions {
  /** Where documents are held until it is known whether their grammar decides. */
  readonly room: DocumentRoom;
  readonly start: (strategy: Strategy) => Selector;
  /** What a sample is. */
  readonly detect: (sample: Uint8Array, complete: boolean) => Detected;
  /** The strategies to choose from, for a text that begins as detected. */
  readonly candidates: (detected: Detected, sample: Uint8Array) => AutoCandidates;
  readonly call: Pick<AutoEvidence, 'isFile' | 'isCommand' | 'isSearch'>;
  /** The most chars that may be shown. */
  readonly reachChars: number;
}

export interface AutoCandidates {
  readonly smart: Strategy;
  readonly reading: Strategy;
  /** The tool's default: of a call that failed, and of any other. */
  readonly plain: Strategy;
  readonly plainFailed: Strategy;
  /** The grammar of the format. */
  readonly element?: Strategy | undefined;
  /** Writes its gaps, where the dialect must not. */
  readonly grammar?: Grammar | undefined;
  /** A cut text must stay valid. */
  readonly staysValid?: boolean;
  /** Shows nothing of what is no text. */
  readonly withheld?: Strategy | undefined;
  /** What it is instead. */
  readonly withheldName?: string;
}

type Name = AutoChoice | 'plainFailed' | 'withheld';

const LEFT_ALONE = { name: null, why: null } as const;

export class AutoSelector implements Selector {
  readonly #options: AutoOptions;
  readonly #contest: Contest<Name>;
  readonly #windows: TextWindows;
  readonly #kinds = new LazyKinds();
  #isBegun = false;
  /** Whether samples are taken of what is held, and of every piece that comes. */
  #isSampled = false;
  #isFinished = false;
  /** Whether the first samples settled that it is a log. */
  #isSettled = false;
  #candidates: AutoCandidates | undefined;
  /** Whether lines tell of errors: does not depend on the room, so it is asked once. */
  readonly #hasErrors = new Map<'any' | 'sure', boolean>();
  /** What strategies selected when they were asked what they found: it stands if one answers. */
  readonly #asked = new Map<Selector, Selection>();
  /** Who answered the last selection, and why. */
  #decision: { readonly name: Name; readonly why: string } | typeof LEFT_ALONE = LEFT_ALONE;

  constructor(options: AutoOptions) {
    this.#options = options;
    this.#contest = new Contest<Name>({
      start: options.start,
      begin: () => this.#begin(),
      document: () => this.#document(),
      room: options.room,
    });
    this.#windows = new TextWindows((sample, position) => this.#note(sample, position === 'whole'));
  }

  push(piece: Piece): void {
    if (this.#isSampled) this.#windows.push(piece);
    this.#contest.push(piece);
    if (this.#isBegun) this.#dropImpossible();
  }

  /** A document that can never fit, and is valid, needs nobody else. */
  finish(): void {
    const { element, staysValid } = this.#candidates ?? {};
    if (element === undefined || staysValid !== true) return;
    const isLong = this.#contest.total.chars > 2 * this.#options.reachChars;
    if (isLong && !this.#contest.holdsAll && (this.#selector('element')?.failure ?? null) === null)
      this.#contest.letGo();
  }

  select(share: Share): Selection {
    const { total, lines, illFormed, holdsAll } = this.#contest;
    this.#decision = LEFT_ALONE;
    const fits = total.chars <= share.chars && lines <= share.lines;
    if (fits && holdsAll && illFormed === 0) {
      const { bytes: end, chars } = total;
      return end === 0 ? [] : [{ kind: 'keep', start: 0, end, chars, lines }];
    }
    this.#finish();
    this.#asked.clear();
    this.#decision = fits ? { name: this.#withheldOr('plain'), why: 'it fits' } : this.#decide(share);
    return this.#asked.get(this.#decider) ?? this.#decider.select(share);
  }

  /** What is held whole is read where it lies, whoever selected it. */
  bytes(range: ByteRange): Uint8Array {
    if (this.#contest.holdsAll) return this.#contest.bytes().subarray(range.start, range.end);
    return this.#decider.bytes(range);
  }

  get grammar(): Grammar | null {
    const { name } = this.#decision;
    if (name === null) return null;
    return (name === 'element' ? this.#candidates?.grammar : this.#decider.grammar) ?? null;
  }

  get findings(): Findings | null {
    return this.#decision.name === null ? null : (this.#decider.findings ?? null);
  }

  reasons(): readonly KeptLines[] {
    return this.#decision.name === null ? [] : (this.#decider.reasons?.() ?? []);
  }

  get decidedBy(): string {
    const { name } = this.#decision;
    if (name === null) return 'auto';
    return name === 'element' ? 'element' : (this.#decider.decidedBy ?? this.#strategy(name)?.name ?? 'auto');
  }

  get why(): string | null {
    return this.#decision.why;
  }

  /** A document that turned out not to be one is shown as text, and that is said. */
  get fallback(): string | null {
    const isText = this.#decision.name !== null && this.#decision.name !== 'element';
    if (!isText || this.#candidates?.staysValid !== true) return null;
    return this.#selector('element')?.failure ?? null;
  }

  get withheld(): string | null {
    return this.#decision.name === 'withheld' ? (this.#candidates?.withheldName ?? null) : null;
  }

  /** The part is too long to be held: whatever may answer in the end has to see it from here on. */
  *#begin(): Iterable<readonly [Name, Strategy]> {
    this.#isBegun = true;
    this.#sample();
    for (const name of this.#possible()) {
      const strategy = this.#strategy(name);
      if (strategy !== undefined) yield [name, strategy];
    }
  }

  /** While a document follows its grammar, nobody else is asked. */
  #document(): readonly [Name, Strategy] | undefined {
    this.#sample();
    const { element, staysValid, withheld } = this.#candidates ?? {};
    return staysValid === true && element !== undefined && withheld === undefined
      ? ['element', element]
      : undefined;
  }

  #sample(): void {
    if (this.#isSampled) return;
    this.#isSampled = true;
    for (const piece of this.#contest.held) this.#windows.push(piece);
  }

  #possible(): readonly Name[] {
    const { isFile } = this.#options.call;
    if (this.#candidates?.withheld !== undefined) return ['withheld'];
    const plain = ['plain', 'plainFailed', 'element', 'reading'] as const;
    const onlyReads = isFile && isWritten(this.#kinds);
    return onlyReads ? plain : [...plain, 'smart'];
  }

  #note(sample: Uint8Array, complete: boolean): void {
    const samples = this.#kinds.add(this.#kindOf(sample, complete));
    if (samples < SETTLED || this.#isSettled || !this.#isSurelyLog(samples)) return;
    this.#contest.drop(['reading']);
    this.#isSettled = true;
  }

  /**
   * Whether samples settle that the text is a log, and so not read: the first of them, or half of
   * all so far. A file is one only if all of it is.
   */
  #isSurelyLog(samples: number): boolean {
    if (!this.#options.call.isFile && mostlyPrinted(this.#kinds)) return true;
    // A grammar can be asked only at the end.
    if (samples !== SETTLED || this.#candidates?.element !== undefined) return false;
    const no = () => false;
    return decide(this.#evidence(false, no, no)).choice === 'smart';
  }

  /** Strategies that will not be chosen, whatever follows, need not see the rest. */
  #dropImpossible(): void {
    const errors = (name: Name) => this.#contest.running(name)?.hasErrorsAlready?.() === true;
    const hasErrors = {
      any: errors('smart'),
      sure: this.#hasErrors.get('sure') === true || errors('reading'),
    };
    const soFar = { ...this.#options.call, kinds: this.#kinds, hasErrors };
    if (!isPossible('smart', soFar)) this.#contest.drop(['smart']);
    if (!isPossible('reading', soFar)) {
      this.#hasErrors.set('sure', hasErrors.sure);
      this.#contest.drop(['reading']);
    }
    // What fits is shown by the tool's default, and so is what was settled too soon. While a
    // selection is made to fit, it may ask for up to twice as much as may be shown.
    const fits = this.#contest.total.chars <= 2 * this.#options.reachChars;
    if (!fits && !this.#isSettled && !isPossible('plain', soFar))
      this.#contest.drop(['plain', 'plainFailed']);
  }

  /**
   * The first sample says what comes into question, and what streams by is not held; any other is
   * looked at when its kind is asked for.
   */
  #kindOf(sample: Uint8Array, complete: boolean): ContentKind | (() => ContentKind) {
    if (this.#candidates !== undefined && !this.#isBegun)
      return () => this.#options.detect(sample, complete).kind;
    const detected = this.#options.detect(sample, complete);
    this.#candidates ??= this.#options.candidates(detected, sample);
    return detected.kind;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#sample();
    this.#windows.finish();
    this.#candidates ??= this.#options.candidates({ kind: 'text' }, new Uint8Array(0));
  }

  #decide(share: Share): { readonly name: Name; readonly why: string } {
    if (this.#candidates?.withheld !== undefined) return { name: 'withheld', why: 'it is no text' };
    const failed = share.ended === 'badly';
    const { choice, why } = decide(
      this.#evidence(
        failed,
        (evidence) => {
          const known = this.#hasErrors.get(evidence) ?? this.#find(evidence, share);
          this.#hasErrors.set(evidence, known);
          return known;
        },
        () => this.#selector('smart')?.standsOut?.(share) ?? false,
      ),
    );
    const isGone = choice === 'reading' && this.#isSettled && this.#selector('plain') === null;
    if (isGone) return { name: 'smart', why: 'its lines looked like a log' };
    return { name: choice === 'plain' && failed ? 'plainFailed' : choice, why };
  }

  /** Whether lines tell of errors. Reading keeps sure lines only; a summary looks for any. */
  #find(evidence: 'any' | 'sure', share: Share): boolean {
    const finder = this.#selector(evidence === 'sure' ? 'reading' : 'smart');
    if (finder === null) return false;
    if (finder.hasErrors !== undefined) return finder.hasErrors(share);
    this.#asked.set(finder, finder.select(share));
    return (finder.findings?.errors.lines ?? 0) > 0;
  }

  #evidence(
    failed: boolean,
    hasErrors: AutoEvidence['hasErrors'],
    standsOut: AutoEvidence['standsOut'],
  ): AutoEvidence {
    const { staysValid, element } = this.#candidates ?? {};
    const follows = element !== undefined && (this.#selector('element')?.failure ?? null) === null;
    return {
      ...this.#options.call,
      kinds: this.#kinds,
      element: follows ? (staysValid === true ? 'valid document' : 'lines') : null,
      failed,
      hasErrors,
      standsOut,
    };
  }

  #withheldOr(name: Name): Name {
    return this.#candidates?.withheld === undefined ? name : 'withheld';
  }

  get #decider(): Selector {
    const { name } = this.#decision;
    const decider = (name === null ? null : this.#selector(name)) ?? this.#selector('plain');
    if (decider === null) throw new Error('no strategy was started');
    return decider;
  }

  #selector(name: Name): Selector | null {
    return this.#contest.get(name, this.#strategy(name));
  }

  #strategy(name: Name): Strategy | undefined {
    return this.#candidates?.[name];
  }
}

/** Whether a person wrote the text, by its first samples. */
function isWritten(kinds: LazyKinds): boolean {
  const samples = Math.min(SAMPLES_HELD, kinds.length);
  return Array.from({ length: samples }, (_, i) => kinds.at(i)).every(
    (kind) => kind === 'code' || kind === 'prose',
  );
}
