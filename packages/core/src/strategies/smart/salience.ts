/**
 * Finds, in one pass and bounded memory, which lines of an output tell why it failed. Each line gets a score of its own from its cues, less if
 * such a line came before; it passes part of it on to the lines after and before it, further inside a block; a step that ended badly
 * pulls up what stands before it. A window of the last lines waits for what follows them; what leaves it competes for a bounded pool.
 * Units: chars of the cleaned text for lengths and budgets, bytes for places.
 */
import { type Features, featuresOf } from './features.ts';
import type { Line } from './feed.ts';
import { CUES } from './lexicon.ts';

export interface Unit {
  readonly index: number;
  readonly line: Line;
  readonly chars: number;
  readonly features: Features;
  readonly warns: boolean;
  /** The line's own score. */
  own: number;
  /** The best of its own score and what neighbours pass on. */
  context: number;
  /** What a bad end further down passes up. */
  pull: number;
  priority: number;
}

const REPEATED = 0.35;
const ALIKE = 0.05;
const POOL_FACTOR = 4;
const WINDOW_FACTOR = 1.5;
const MOST_TEMPLATES = 50_000;
const PARENT_LINES = 6;

export class Salience {
  readonly #budget: number;
  readonly #window: Unit[] = [];
  #windowChars = 0;
  #pool: Unit[] = [];
  #poolChars = 0;
  readonly #templates = new Map<string, number>();
  readonly #signatures = new Map<string, number>();
  #carry = 0;
  #carryIndent = 0;
  #inSection = false;
  #afterEnd = false;
  #count = 0;
  #chars = 0;
  #lastEndChars = -1;
  strongest = 0;
  errors = 0;
  warnings = 0;

  /** `budget`: the chars that may be shown. */
  constructor(budget: number) {
    this.#budget = budget;
  }

  /** Something that is not looked at stands between two lines. */
  skip(): void {
    this.#count++;
  }

  /** How many units there were, looked at or not. */
  get count(): number {
    return this.#count;
  }

  add(line: Line): void {
    const features = featuresOf(line.text);
    const own = this.#score(features) * (line.first ? 1 : 0.6);
    const unit: Unit = {
      index: this.#count++,
      line,
      chars: line.text.length + 1,
      features,
      warns: (features.cues & WARNING) !== 0,
      own,
      context: 0,
      pull: 0,
      priority: 0,
    };
    unit.context = this.#forward(unit);
    this.strongest = Math.max(this.strongest, own);
    if (own >= 4) this.errors++;
    else if (unit.warns && own > 0.5) this.warnings++;
    this.#window.push(unit);
    this.#windowChars += unit.chars;
    this.#chars += unit.chars;
    if (features.ends && own > 1) this.#lastEndChars = this.#chars;
    if (features.raw > 2.5 && features.indent > 0) this.#liftParent(unit);
    if (this.#windowChars > this.#budget * WINDOW_FACTOR * 2) this.#settle();
  }

  /** Every line that may be shown, with its priority. Called once, after the last line. */
  finish(): Unit[] {
    this.#backward();
    const fromEnd =
      this.#chars - this.#lastEndChars < this.#chars / 4 && this.#lastEndChars >= 0
        ? this.#lastEndChars
        : this.#chars;
    let position = this.#chars;
    for (const unit of this.#window.toReversed()) {
      const near = Math.exp(-Math.max(0, fromEnd - position) / (0.25 * this.#budget));
      const tail =
        position > fromEnd ? 0.4 * 5 * Math.exp(-(this.#chars - position) / (0.25 * this.#budget)) : 5 * near;
      unit.priority = this.#priority(unit, tail);
      position -= unit.chars;
    }
    return [...this.#pool, ...this.#window];
  }

  #score(features: Features): number {
    if (features.raw === 0) return 0;
    const before = this.#seen(this.#templates, features.template);
    const alike = this.#seen(this.#signatures, features.signature);
    return features.raw / (1 + REPEATED * Math.log2(1 + before) + ALIKE * alike);
  }

  #seen(map: Map<string, number>, key: string): number {
    const before = map.get(key) ?? 0;
    if (before > 0 || map.size < MOST_TEMPLATES) map.set(key, before + 1);
    return before;
  }

  /** What the lines before pass on, block by block. */
  #forward(unit: Unit): number {
    const { features, own, chars } = unit;
    const blank = features.kind === 'blank';
    const inside = features.kind === 'inner' || (!blank && features.indent > this.#carryIndent);
    const step = blank ? 0.87 : inside ? 0.985 : this.#afterEnd ? 0.6 : this.#inSection ? 0.965 : 0.93;
    this.#carry *= step * Math.exp(-chars / 3_000);
    // A line that is known noise takes no score from its neighbours.
    const given = this.#carry * features.damping;
    if (own >= this.#carry && own > 0) {
      this.#carry = own;
      this.#carryIndent = features.indent;
      this.#inSection = features.opens;
      this.#afterEnd = features.ends;
    }
    return Math.max(own, given);
  }

  /** A repeated message is told apart by the line above it that it belongs to. */
  #liftParent(unit: Unit): void {
    const before = this.#templates.get(unit.features.template) ?? 1;
    let factor = (0.85 * unit.features.raw) / (1 + 0.1 * (before - 1));
    for (let i = this.#window.length - 2, looked = 0; i >= 0 && looked < PARENT_LINES; i--, looked++) {
      const above = this.#window[i];
      if (above === undefined) return;
      if (above.features.kind !== 'blank' && above.features.indent < unit.features.indent) {
        above.context = Math.max(above.context, factor);
        return;
      }
      factor *= above.features.kind === 'blank' ? 0.8 : 0.9;
    }
  }

  /** What the lines after pass up, and what bad ends pull up. */
  #backward(): void {
    let carry = 0;
    let pull = 0;
    for (let i = this.#window.length - 1; i >= 0; i--) {
      const unit = this.#window[i];
      if (unit === undefined) continue;
      const fade = Math.exp(-unit.chars / 3_000);
      carry *= (unit.features.kind === 'blank' ? 0.7 : 0.88) * fade;
      pull *= Math.exp(-unit.chars / (0.25 * this.#budget));
      unit.context = Math.max(unit.context, carry * unit.features.damping);
      unit.pull = Math.max(unit.pull, pull);
      if (unit.own > carry) carry = unit.own;
      if (unit.features.ends && unit.own > 1) pull = 4;
    }
  }

  /** Lets the older half of the window go: nothing that follows can still change it much. */
  #settle(): void {
    this.#backward();
    while (this.#windowChars > this.#budget * WINDOW_FACTOR) {
      const unit = this.#window.shift();
      if (unit === undefined) break;
      this.#windowChars -= unit.chars;
      unit.priority = this.#priority(unit, 0);
      if (unit.priority < 0.05) continue;
      this.#pool.push(unit);
      this.#poolChars += unit.chars;
    }
    if (this.#poolChars > this.#budget * POOL_FACTOR * 1.5) this.#prune();
  }

  #prune(): void {
    this.#pool.sort((a, b) => b.priority - a.priority || b.index - a.index);
    let chars = 0;
    const kept = this.#pool.findIndex((unit) => {
      chars += unit.chars;
      return chars > this.#budget * POOL_FACTOR;
    });
    if (kept >= 0) this.#pool.length = kept;
    this.#poolChars = this.#pool.reduce((sum, unit) => sum + unit.chars, 0);
  }

  #priority(unit: Unit, tail: number): number {
    const before = unit.line.start.chars;
    const head = Math.exp(-before / (0.03 * this.#budget));
    const best = Math.max(unit.context, tail, head, unit.pull);
    const rest = unit.context + tail + head + unit.pull - best;
    return (best + 0.5 * rest) / (1 + 0.001 * unit.chars);
  }
}

/** The bit of the cue `warning`. */
const WARNING = 1 << CUES.findIndex((cue) => cue.name === 'warning');
