/**
 * The watches of one part. All strategies at work on the part ask for them here, so the text is
 * scanned once, each line is judged once, and those that look for the same share one result. A
 * strategy may join late, as long as the first `lateBytes` of the part stream by: it is given the
 * lines it missed.
 */
import type { Piece } from '../../model/piece.ts';
import type { SelectionContext } from '../../model/strategy.ts';
import { Watch, type WatchedPart } from './choices.ts';
import { Judge, type OwnListener } from './judge.ts';
import type { Evidence } from './own-score.ts';
import { Sections } from './sections.ts';
import { type Unit, UnitFeed } from './units.ts';
import { Unusual } from './unusual.ts';
import type { Lexicon } from './words.ts';

/** The watches of a part that is about to stream by. */
export type WatchesOf = (reachChars: number, context?: SelectionContext) => Watches;

/** Every strategy watches for itself. */
export function ownWatches(lexicon: () => Lexicon): WatchesOf {
  return (reachChars, context) => new Watches(reachChars, lexicon(), context);
}

/** All strategies of one part share its watches. */
export function sharedWatches(lexicon: () => Lexicon, lateBytes = 0): WatchesOf {
  let watches: Watches | undefined;
  return (reachChars, context) => {
    watches ??= new Watches(reachChars, lexicon(), context, lateBytes);
    return watches;
  };
}

export class Watches implements WatchedPart {
  readonly #budget: number;
  readonly lexicon: Lexicon;
  readonly #context: SelectionContext;
  readonly #lateBytes: number;
  readonly #feed: UnitFeed;
  /** The units so far, as long as somebody may still join. */
  #missed: Unit[] | null = [];
  #taken = 0;
  readonly #judges = new Map<Evidence, Judge>();
  readonly #judging: Judge[] = [];
  readonly #unusual = new Map<'all' | 'cued', Unusual>();
  readonly #standing: Unusual[] = [];
  /** How many watches need a judge, or what looks for lines that stand out. */
  readonly #users = new Map<Judge | Unusual, number>();
  readonly #sections = new Sections();
  /** How many of the units so far the sections know: they are looked at when somebody asks. */
  #sectioned = 0;

  /** `budget`: the chars that may be shown of what is found. */
  constructor(budget: number, lexicon: Lexicon, context: SelectionContext = {}, lateBytes = 0) {
    this.#budget = budget;
    this.lexicon = lexicon;
    this.#context = context;
    this.#lateBytes = lateBytes;
    this.#feed = new UnitFeed(lexicon, (unit) => this.#give(unit));
  }

  /** A watch for lines of that evidence, and for those that stand out by their shape. */
  watch(evidence: Evidence, standOut: 'all' | 'cued' = 'cued', listener?: OwnListener): Watch {
    const judge = this.#judge(evidence);
    if (listener !== undefined) judge.listen(listener, this.#missed ?? []);
    const unusual = this.#standOut(standOut);
    for (const each of [judge, unusual]) this.#users.set(each, (this.#users.get(each) ?? 0) + 1);
    return new Watch(this, judge, unusual, listener);
  }

  release(judge: Judge, unusual: Unusual): void {
    if (this.#isUnused(judge)) remove(this.#judging, judge);
    if (this.#isUnused(unusual)) remove(this.#standing, unusual);
  }

  /** Whether nobody needs it now that one more does not. */
  #isUnused(each: Judge | Unusual): boolean {
    const left = (this.#users.get(each) ?? 0) - 1;
    this.#users.set(each, left);
    return left === 0;
  }

  /** Each of several strategies gives its pieces: every piece is taken once. */
  push(piece: Piece): void {
    if (piece.start.bytes < this.#taken) return;
    this.#taken = piece.start.bytes + piece.bytes.length;
    if (piece.start.bytes > this.#lateBytes || this.#lateBytes === 0) this.#close();
    this.#feed.push(piece);
  }

  /** Gives the last line: nothing follows. */
  finish(): void {
    this.#feed.finish();
  }

  /** How many units the part has. */
  get count(): number {
    return this.#feed.count;
  }

  get sections(): Sections {
    this.#section();
    return this.#sections;
  }

  #section(): void {
    const units = this.#missed ?? [];
    while (this.#sectioned < units.length) this.#sections.add(units[this.#sectioned++] as Unit);
  }

  /** Nobody joins any more. */
  #close(): void {
    if (this.#missed === null) return;
    this.#section();
    this.#missed = null;
    for (const judge of this.#judges.values()) judge.forget();
  }

  #give(unit: Unit): void {
    this.#missed?.push(unit);
    // For each line of the part: the maps would make iterators.
    for (let i = 0; i < this.#judging.length; i++) (this.#judging[i] as Judge).add(unit);
    if (this.#missed === null) this.#sections.add(unit);
    for (let i = 0; i < this.#standing.length; i++) (this.#standing[i] as Unusual).add(unit);
  }

  #judge(evidence: Evidence): Judge {
    let judge = this.#judges.get(evidence);
    if (judge === undefined) {
      judge = new Judge(this.#budget, this.lexicon, this.#context, evidence);
      for (const unit of this.#missed ?? []) judge.add(unit);
      this.#judges.set(evidence, judge);
      this.#judging.push(judge);
    }
    return judge;
  }

  #standOut(which: 'all' | 'cued'): Unusual {
    let unusual = this.#unusual.get(which);
    if (unusual === undefined) {
      unusual = new Unusual(this.#budget, which);
      for (const unit of this.#missed ?? []) unusual.add(unit);
      this.#unusual.set(which, unusual);
      this.#standing.push(unusual);
    }
    return unusual;
  }
}

function remove<T>(items: T[], item: T): void {
  items.splice(items.indexOf(item), 1);
}
