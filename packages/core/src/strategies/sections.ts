/**
 * The sections of a text: rows under which tools put what follows, such as build steps. A repeated
 * heading begins no new section.
 */

import type { LineTable } from '../table/line-table.ts';
import { headingOf } from '../vocabulary/headings.ts';

/** Of very many headings, evenly spread. */
const MOST_OFFERED = 64;
const MOST_KNOWN = 10_000;

export class Sections {
  readonly #table: LineTable;
  readonly #known = new Set<string>();
  #rows: number[] = [];
  #count = 0;
  #seen = 0;
  #done = 0;

  constructor(table: LineTable) {
    this.#table = table;
  }

  update(): void {
    for (; this.#done < this.#table.rows; this.#done++) {
      this.#seen++;
      const heading = headingOf(this.#table, this.#done);
      if (heading === null || this.#known.has(heading)) continue;
      if (this.#known.size < MOST_KNOWN) this.#known.add(heading);
      this.#count++;
      this.#rows.push(this.#done);
    }
  }

  keepOnly(isKept: Uint8Array): void {
    const moved = new Uint32Array(this.#done);
    let rows = 0;
    for (let row = 0; row < this.#done; row++) if (isKept[row] === 1) moved[row] = ++rows;
    this.#rows = this.#rows.flatMap((row) => (moved[row] ? [(moved[row] as number) - 1] : []));
    this.#done = rows;
  }

  /** 0 if every second row looks like a heading. */
  get count(): number {
    return this.#count * 2 > this.#seen ? 0 : this.#count;
  }

  /** Evenly spread. */
  get headings(): readonly number[] {
    if (this.count === 0) return [];
    const step = Math.max(1, this.#rows.length / MOST_OFFERED);
    return Array.from(
      { length: Math.min(MOST_OFFERED, this.#rows.length) },
      (_, i) => this.#rows[Math.floor(i * step)] as number,
    );
  }
}
