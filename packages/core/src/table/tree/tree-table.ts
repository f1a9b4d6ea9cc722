/**
 * A JSON or XML text as a table: one row a node, in the order of the text, so that the first child
 * of a row is the next row and `next` leads behind its subtree. A scanner fills it as the text
 * streams by. Once it is full, rows that are like others and far from both ends are dropped with
 * their bytes: `index` and `count` still tell which child a row is, and of how many. So 1 GB costs
 * what 10 MB cost. Places are bytes of the text; the same text in other chunks gives the same table.
 */
import { type Extent, NOTHING } from '../../model/extent.ts';
import { countWhile } from '../../text/count-while.ts';
import { measure } from '../../text/utf8.ts';
import { tableOf } from '../columns.ts';
import { standing } from './standing.ts';
import {
  isBox,
  isSpace,
  Kind,
  PRIME,
  SEED,
  type TreeScanner,
  type TreeSink,
  type TreeToken,
} from './tree-sink.ts';

/** A table is pruned when it holds so much; looked at every so many bytes. */
const MOST = { rows: 48 << 10, bytes: 3 << 20 };
/** What a table that measures nothing does without. */
const MEASURES = [
  ...(['worst', 'evidence', 'finding', 'hash', 'name', 'entity', 'height', 'chars', 'space'] as const),
  ...(['pad', 'keyChars', 'tagBytes', 'closeBytes'] as const),
];
const FIRST_ROWS = 256;
/** A table that is full is made as large as its text will need, if that goes on as it began. */
const MORE_BYTES = 1.5;
/** And at least so many times as large, by whether the text is short so far. */
const TIMES = { short: 2, long: 4 };
const LF = 10;
const CR = 13;
const STEP_BYTES = 65_536;
/** Rows that may come before the next look. */
const ROWS_BEYOND = 8_192;
/** How much is left of it then. */
const LEFT = 0.4;
/** Children at both ends of a container that stay in the first round; each round halves them. */
const ENDS = 64;
const ALIKE_KEPT = 4;
const MOST_BAD = 512;
/** Open levels whose children are compared when rows are dropped: so many outer and inner ones. */
const MOST_LOOKED_AT = 64;
/** So many shapes a row that the table may hold are kept in the first round. */
const SHAPES = 0.1;
/** Attributes of one tag that stay. */
const MOST_ATTRIBUTES = 256;
/** White space that stays before a node of XML. */
const BLANK_BYTES = 256;
/** What stays of a string that is not over when the table is full, at each end. */
const STRING_BYTES = 131_072;

/**
 * What a row says of failure by itself: 0 nothing, 1 a warning, 2 something severe, 3 an error; 4 a
 * number of failures, which is no finding of its own; 5 holds settings, in which none is a finding.
 */
type Verdict = (table: TreeTable, row: number) => number;

export interface TreeOptions {
  /** Without it the table only tells where things are: it measures nothing, and never drops rows. */
  readonly verdict?: Verdict;
  /** The most chars that will ever be shown of it. */
  readonly reachChars: number;
  /** How much it holds before it is pruned, unless more may be shown. */
  readonly most?: { readonly rows: number; readonly bytes: number };
}

/** Bytes that are held: where they begin in the text, and in the buffer. */
interface Run {
  readonly start: Extent;
  readonly at: number;
  length: number;
}

const Columns = tableOf({
  kind: Uint8Array,
  /** The worst that its subtree says of failure. */
  worst: Uint8Array,
  from: Float64Array,
  start: Float64Array,
  end: Float64Array,
  parent: Int32Array,
  next: Int32Array,
  /** Which child a row is, and how many it has: of XML only elements are counted. */
  index: Uint32Array,
  count: Uint32Array,
  /** Levels of containers in it, itself included. */
  height: Uint32Array,
  /** Bytes of the bracket or tag that opens a container, and of the one that closes it. */
  tagBytes: Uint32Array,
  closeBytes: Uint32Array,
  keyBytes: Uint32Array,
  keyChars: Uint32Array,
  name: Int32Array,
  /** Of a scalar how it begins; of a container its keys and the kinds of its values. */
  hash: Int32Array,
  /** Chars of the value without the white space that is left out, and that white space. */
  chars: Float64Array,
  space: Float64Array,
  pad: Uint32Array,
  /**
   * Findings: a record with a field that tells of a failure, and no other finding in it. Of each row
   * what its fields say, 4 more if there is a finding below it; and whether it is a finding itself.
   */
  evidence: Uint8Array,
  finding: Uint8Array,
  /** Whether something in it refers to an entity that the document has to declare. */
  entity: Uint8Array,
});

export class TreeTable extends Columns implements TreeSink {
  rows = 0;
  readonly findings = { errors: 0, warnings: 0 };
  /** One more than the highest number of a reserved key that the text holds; 0 for none. */
  reserved = 0;
  isPruned = false;
  readonly #options: TreeOptions;
  readonly #open: number[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #runs: Run[] = [{ start: NOTHING, at: 0, length: 0 }];
  /** The run that was asked for last. */
  #near: Run = this.#runs[0] as Run;

  constructor(options: TreeOptions) {
    super();
    this.#options = options;
    if (options.verdict === undefined) this.unused = MEASURES;
    this.resize(FIRST_ROWS);
    this.height[this.#add(Kind.top, 0)] = 1;
  }

  /** Takes bytes, gives them to the scanner, and makes room where it has to. */
  push(bytes: Uint8Array, scan: TreeScanner): void {
    for (let at = 0; at < bytes.length; ) {
      const size = Math.min(bytes.length - at, STEP_BYTES - (this.size % STEP_BYTES));
      const part = at === 0 && size === bytes.length ? bytes : bytes.subarray(at, at + size);
      this.#take(part);
      scan.push(part);
      at += size;
      const isFull = this.rows > this.#mostRows || this.#length > this.#mostBytes;
      if (isFull && this.#options.verdict !== undefined && this.size % STEP_BYTES === 0) this.#prune(scan);
    }
  }

  /** Bytes of the text so far. */
  get size(): number {
    const last = this.#runs.at(-1);
    return last === undefined ? 0 : last.start.bytes + last.length;
  }

  /** Nothing follows: the text itself is over. */
  finish(): void {
    this.next[0] = this.rows;
    this.end[0] = this.size;
  }

  open(token: TreeToken): void {
    const row = this.#add(token.kind, token.name);
    this.#locate(row, token);
    this.height[row] = 1;
    this.hash[row] = SEED;
    this.chars[row] = token.chars;
    this.tagBytes[row] = token.end - token.start;
    this.#open.push(row);
  }

  content(token: TreeToken): void {
    const row = this.#open.at(-1) as number;
    this.tagBytes[row] = token.end - (this.start[row] as number);
    this.chars[row] = (this.chars[row] as number) + token.chars;
  }

  close(token: TreeToken): void {
    const row = this.#open.pop() as number;
    this.end[row] = token.end;
    this.closeBytes[row] = token.end - token.start;
    this.reserved = token.reserved;
    this.chars[row] = (this.chars[row] as number) + token.chars;
    this.space[row] = (this.space[row] as number) + token.pad;
    this.#over(row);
  }

  leaf(token: TreeToken): void {
    const row = this.#add(token.kind, token.name);
    this.#locate(row, token);
    this.end[row] = token.end;
    this.hash[row] = token.hash;
    this.chars[row] = token.chars;
    if (token.hasEntity) this.entity[row] = 1;
    this.#over(row);
  }

  /** The children of a row that are still there, without attributes. */
  children(row: number): number[] {
    const { kind, next } = this;
    const rows: number[] = [];
    const end = next[row] as number;
    for (let at = row + 1; at < end; at = next[at] as number) if (kind[at] !== Kind.attribute) rows.push(at);
    return rows;
  }

  /** Whether all bytes between two places are held. */
  isHeld(from: number, to: number): boolean {
    if (!this.isPruned) return true;
    const { start, length } = this.#runAt(from);
    return to <= start.bytes + length;
  }

  /** The bytes between two places, as far as they are held in one run. */
  slice(from: number, to: number): Buffer {
    const { start, at, length } = this.#runAt(from);
    const first = at + from - start.bytes;
    return this.#bytes.subarray(first, Math.min(first + to - from, at + length));
  }

  byteAt(position: number): number {
    const { start, at, length } = this.#runAt(position);
    const offset = position - start.bytes;
    return offset < length ? (this.#bytes[at + offset] as number) : -1;
  }

  /** Where the key of a row begins, with its quote. */
  keyAt(row: number): number {
    let at = this.from[row] as number;
    while (isSpace(this.byteAt(at))) at++;
    return at;
  }

  /** The key of a row as written, without quotes; or the name of an element or attribute. */
  key(row: number): Buffer {
    const bytes = this.keyBytes[row] as number;
    const isElement = this.kind[row] === Kind.element;
    const at = isElement ? (this.start[row] as number) + 1 : this.keyAt(row);
    const quote = this.byteAt(at) === 0x22 ? 1 : 0;
    return this.slice(at + quote, at + bytes - quote);
  }

  keyText(row: number): string {
    return this.key(row).toString();
  }

  /** What lies before a place, which is held, if what lies before another one is known. */
  extentAt(position: number, known = NOTHING): Extent {
    const { start, at } = this.#runAt(position);
    const isNear = known.bytes >= start.bytes && known.bytes <= position;
    const before = isNear ? known : start;
    if (before.bytes === position) return before;
    const from = at + before.bytes - start.bytes;
    const { bytes, chars, breaks } = measure(this.#bytes, from, at + position - start.bytes);
    const isCut = from > at && this.#bytes[from] === LF && this.#bytes[from - 1] === CR;
    return {
      bytes: before.bytes + bytes,
      chars: before.chars + chars,
      breaks: before.breaks + breaks - (isCut ? 1 : 0),
    };
  }

  get #mostRows(): number {
    return Math.max((this.#options.most ?? MOST).rows, this.#options.reachChars);
  }

  get #mostBytes(): number {
    return Math.max((this.#options.most ?? MOST).bytes, this.#options.reachChars * 8);
  }

  #take(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#bytes.length) {
      const most = this.#mostBytes + STEP_BYTES;
      const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(this.#bytes.length * 2, most)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = needed;
    (this.#runs.at(-1) as Run).length += bytes.length;
  }

  #runAt(position: number): Run {
    const runs = this.#runs;
    const ahead = position - this.#near.start.bytes;
    if (ahead >= 0 && ahead < this.#near.length) return this.#near;
    const count = countWhile(runs.length, (at) => (runs[at] as Run).start.bytes <= position);
    this.#near = runs[Math.max(0, count - 1)] as Run;
    return this.#near;
  }

  #add(kind: number, name: number): number {
    const row = this.rows++;
    if (row === this.capacity) this.#grow();
    const top = this.#open.length > 0 ? (this.#open[this.#open.length - 1] as number) : 0;
    this.kind[row] = kind;
    this.parent[row] = row === 0 ? -1 : top;
    this.name[row] = name;
    this.next[row] = row + 1;
    if (row > 0) {
      this.index[row] = this.count[top] as number;
      if (kind <= Kind.element) this.count[top] = (this.count[top] as number) + 1;
    }
    return row;
  }

  #locate(row: number, token: TreeToken): void {
    this.from[row] = token.from;
    this.start[row] = token.start;
    this.keyBytes[row] = token.keyBytes;
    this.keyChars[row] = token.keyChars;
    this.pad[row] = token.pad;
  }

  /** A row is over: what it says and takes counts for its parent. */
  #over(row: number): void {
    this.next[row] = this.rows;
    if (this.#options.verdict === undefined) return;
    const parent = this.parent[row] as number;
    const verdict = this.#options.verdict(this, row);
    const own = verdict === 5 ? 0 : verdict === 4 ? 2 : verdict;
    if (own > (this.worst[row] as number)) this.worst[row] = own;
    if (verdict !== 5 && (own > 0 || (this.evidence[row] as number) > 0)) this.#tell(row, parent, verdict);
    const worst = this.worst[row] as number;
    if (worst > (this.worst[parent] as number)) this.worst[parent] = worst;
    if (this.entity[row] === 1) this.entity[parent] = 1;
    if ((this.height[row] as number) >= (this.height[parent] as number))
      this.height[parent] = (this.height[row] as number) + 1;
    const keyed = this.name[row] as number;
    if (keyed !== 0)
      this.hash[parent] = Math.imul(
        (this.hash[parent] as number) ^ keyed ^ (this.kind[row] as number),
        PRIME,
      );
    this.chars[parent] =
      (this.chars[parent] as number) + (this.chars[row] as number) + (this.keyChars[row] as number);
    this.space[parent] =
      (this.space[parent] as number) + (this.space[row] as number) + (this.pad[row] as number);
  }

  /** Counts a finding where it is: in the innermost record that tells of it. */
  #tell(row: number, parent: number, verdict: number): void {
    const evidence = this.evidence[row] as number;
    const isRecord = this.kind[row] === Kind.object || this.kind[row] === Kind.element;
    let isBelow = evidence >= 4;
    if (isRecord && evidence > 0 && !isBelow) {
      this.#count(row, evidence);
      isBelow = true;
    }
    if (verdict > 0 && verdict < 4 && !isBelow && this.kind[row] === Kind.array)
      for (const child of this.children(row))
        if (this.kind[child] === Kind.object) {
          this.#count(child, verdict);
          isBelow = true;
        }
    const own = isBelow ? 4 : verdict === 4 ? 0 : verdict;
    const before = this.evidence[parent] as number;
    if (own > 0)
      this.evidence[parent] = own === 4 ? (before & 3) | 4 : Math.max(before & 3, own) | (before & 4);
  }

  #count(row: number, level: number): void {
    this.finding[row] = level;
    if (level > 1) this.findings.errors++;
    else this.findings.warnings++;
  }

  #grow(): void {
    const { capacity } = this;
    const most = this.#mostRows + ROWS_BEYOND;
    const needed = (this.size / ((this.start[capacity - 1] as number) + 1)) * MORE_BYTES;
    const times = this.size > 2 * STEP_BYTES ? TIMES.long : TIMES.short;
    const rows = Math.ceil(capacity * Math.max(times, needed));
    this.resize(capacity < most ? Math.min(rows, most) : capacity + ROWS_BEYOND);
  }

  /** Drops rows in rounds, each harder than the one before, and the bytes that no row needs. */
  #prune(scan: TreeScanner): void {
    // Open rows stay: of nesting alone no row can be dropped.
    const isNesting = this.rows <= this.#open.length + ENDS;
    if (isNesting && this.#length <= this.#mostBytes) return;
    this.isPruned = true;
    const least = isNesting ? Number.POSITIVE_INFINITY : this.#mostRows * LEFT;
    const heaviest = this.#mostBytes * LEFT;
    let ends = isNesting ? 1 : ENDS;
    for (let deepest = Number.POSITIVE_INFINITY; deepest > 1; ends = Math.max(2, ends >> 1)) {
      const isDropped = this.rows > least ? this.#dropped(ends, deepest) : null;
      this.#dropBytes(scan, ends, isDropped);
      if (isDropped !== null) this.#keep((row) => isDropped[row] === 0);
      if (isNesting || (this.rows <= least && this.#length <= heaviest)) return;
      deepest = Math.min(deepest, 12) - 1;
    }
    this.#dropBytes(scan, 1, null);
  }

  /** 1 for rows that are dropped. */
  #dropped(ends: number, deepest: number): Uint8Array {
    const { kind, worst, parent, index, count, hash } = this;
    const { rows } = this;
    const level = new Uint32Array(rows);
    const dropped = new Uint8Array(rows);
    const stays = new Uint8Array(rows);
    for (const row of [0, ...this.#open]) {
      stays[row] = 1;
      this.next[row] = rows;
    }
    // Of very deep nesting the outermost and innermost levels are looked at: each look may go as deep.
    const [outer, inner] = [this.#open.slice(0, MOST_LOOKED_AT), this.#open.slice(-MOST_LOOKED_AT)];
    for (const list of new Set([0, ...outer, ...inner])) {
      const items = this.children(list);
      // Items of a list that stand out stay when others are dropped.
      for (const at of standing(this, items, null).order.slice(0, 48)) stays[items[at] as number] = 1;
    }
    const alike = new Map<number, number>();
    const shapes = (this.#mostRows * SHAPES * ends) / ENDS;
    let bad = 0;
    for (let row = 1; row < rows; row++) {
      const up = parent[row] as number;
      level[row] = (level[up] as number) + 1;
      dropped[row] = dropped[up] as number;
      if (dropped[row] === 1 || stays[row] === 1) continue;
      const isBad = (worst[row] as number) > 0 && bad < MOST_BAD;
      const fromStart = index[row] as number;
      const fromEnd = (count[up] as number) - fromStart;
      if (kind[row] === Kind.attribute) {
        if (row - up > MOST_ATTRIBUTES) dropped[row] = 1;
      } else if (isBad) bad++;
      else if ((level[row] as number) > deepest) dropped[row] = 1;
      else if ((kind[row] as number) > Kind.element || (fromStart >= ends && fromEnd > ends)) {
        const own = isBox(kind[row] as number) ? hash[row] : kind[row];
        const shape = Math.imul(up, PRIME) ^ (own as number);
        const times = alike.get(shape) ?? 0;
        const most = (kind[row] as number) > Kind.element ? ends : ALIKE_KEPT;
        if (times >= most || alike.size >= shapes) dropped[row] = 1;
        else alike.set(shape, times + 1);
      }
    }
    return dropped;
  }

  #keep(isKept: (row: number) => boolean): void {
    const { rows } = this;
    const to = new Uint32Array(rows + 1);
    let kept = 0;
    for (let row = 0, from = 0; row <= rows; row++) {
      to[row] = kept;
      if (row < rows && isKept(row)) kept++;
      else {
        if (row > from) this.moveRows(from, row, kept - (row - from));
        from = row + 1;
      }
    }
    for (let row = 0; row < kept; row++) {
      if (row > 0) this.parent[row] = to[this.parent[row] as number] as number;
      this.next[row] = to[this.next[row] as number] as number;
    }
    for (let at = 0; at < this.#open.length; at++) this.#open[at] = to[this.#open[at] as number] as number;
    this.clearRows(kept, rows);
    this.rows = kept;
  }

  /** Drops the bytes of rows that are dropped, the middle of long texts, and long white space. */
  #dropBytes({ from: unread, openString }: TreeScanner, ends: number, isDropped: Uint8Array | null): void {
    const position = this.size;
    const most = 2 * Math.max(2_048, (STRING_BYTES * ends) / ENDS, this.#options.reachChars);
    const holes: [from: number, to: number][] = [];
    const cut = (from: number, to: number) => {
      // The last bytes stay, where reading goes on.
      const end = Math.min(to, position - 1);
      const last = holes.at(-1);
      if (last !== undefined && from >= last[0] && from <= last[1]) last[1] = Math.max(last[1], end);
      else if (end > from) holes.push([from, end]);
    };
    const cutText = (from: number, to: number) => {
      if (to - from > most) cut(from + most / 2, this.#cut(to - most / 2));
    };
    const cutBlank = (to: number) => {
      let from = to;
      while (isSpace(this.byteAt(from - 1))) from--;
      cut(from, to - BLANK_BYTES);
    };
    const isOpen = new Set(this.#open);
    for (let row = 1; row < this.rows; row++) {
      const kind = this.kind[row] as number;
      if (isDropped?.[row] === 1) {
        cut(this.from[row] as number, Math.min(unread, this.#unitEnd(row)));
        row = (this.next[row] as number) - 1;
        continue;
      }
      cutBlank(this.start[row] as number);
      if (kind === Kind.element) cutBlank(this.bodyFrom(row) - 1);
      if (!isBox(kind)) cutText(this.start[row] as number, this.end[row] as number);
      else if (!isOpen.has(row)) cutBlank(this.closeFrom(row));
    }
    if (openString >= 0) cutText(openString, position);
    this.#compact(holes.sort(([a], [b]) => a - b));
  }

  /** Where the children of a container begin. */
  bodyFrom(row: number): number {
    return (this.start[row] as number) + (this.tagBytes[row] as number);
  }

  /** Where what closes a container begins. */
  closeFrom(row: number): number {
    return (this.end[row] as number) - (this.closeBytes[row] as number);
  }

  /** Behind the separator or quote that follows a value. */
  #unitEnd(row: number): number {
    const kind = this.kind[row] as number;
    const end = this.end[row] as number;
    if (kind >= Kind.element) return kind === Kind.attribute ? end + 1 : end;
    let at = end;
    while (isSpace(this.byteAt(at))) at++;
    return this.byteAt(at) === 0x2c ? at + 1 : end;
  }

  /** A place that is neither inside a character nor between CR and LF, at or behind another. */
  #cut(position: number): number {
    let at = Math.floor(position);
    while ((this.byteAt(at) & 0xc0) === 0x80 && this.byteAt(at) >= 0) at++;
    return this.byteAt(at) === 0x0a ? at + 1 : at;
  }

  /** Moves what is held outside of some holes to the front; they are in order, and do not overlap. */
  #compact(holes: readonly (readonly [from: number, to: number])[]): void {
    const moves: { readonly start: Extent; readonly source: number; readonly length: number }[] = [];
    let hole = 0;
    let start = this.extentAt(this.#runs[0]?.start.bytes ?? 0);
    for (const run of this.#runs) {
      const end = run.start.bytes + run.length;
      for (let from = run.start.bytes; from < end; ) {
        const [at, to] = holes[hole] ?? [end, end];
        if (to <= from) {
          hole++;
          continue;
        }
        const length = Math.min(at, end) - from;
        if (length > 0) {
          start = this.extentAt(from, start);
          moves.push({ start, source: run.at + from - run.start.bytes, length });
        }
        from = Math.max(from, at < end ? to : end);
      }
    }
    this.#runs = [];
    this.#length = 0;
    for (const { start, source, length } of moves) {
      this.#bytes.copyWithin(this.#length, source, source + length);
      this.#runs.push({ start, at: this.#length, length });
      this.#length += length;
    }
    this.#near = this.#runs[0] as Run;
  }
}
