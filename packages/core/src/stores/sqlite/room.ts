/**
 * Keeps room on the disk for recovery: SQLite appends even a deletion to its WAL. New content is
 * refused while a margin is left, so the store never fills the disk itself; and a reserve file of a
 * megabyte is given up when others have filled it, and restored later. Sizes are bytes.
 */
import { lstatSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { PIECE_BYTES } from '../../model/piece.ts';
import { randomBytes } from '../randomness.ts';
import { systemCode } from './folders.ts';

/** On small disks a fourth and an eighth of them. The margin holds twice the usual WAL. */
const MARGIN_BYTES = 4 * 1024 ** 2;
const LEAST_MARGIN_BYTES = 256 * 1024;
const RESERVE_BYTES = 1024 ** 2;

export class Room {
  readonly #file: string;
  /** Bytes that may be appended before the disk is checked again. */
  #unchecked = 0;
  #released = false;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Refuses content that would leave too little room. `bytes` follow `before` of the same part;
   * `free` is what the database file has free.
   */
  mustHold(bytes: number, before: number, free: () => number): void {
    this.#unchecked -= bytes;
    if (this.#unchecked > 0) return;
    const disk = this.#disk();
    if (disk === undefined) return;
    this.#keepReserve(disk.available - disk.margin);
    // Small outputs are still stored where large ones are refused, but never from a released
    // reserve.
    const margin = Math.min(disk.margin, LEAST_MARGIN_BYTES + 4 * before);
    const left = disk.available + free() - margin - (this.#hasReserve() ? 0 : reserveOf(disk.total));
    if (left < bytes)
      throw new SpillwayError(
        'store_full',
        `There is no room left for the store ${this.#file}: free some space on its disk, or purge outputs.`,
        { remedy: 'purge_outputs' },
      );
    this.#unchecked = Math.max(PIECE_BYTES, Math.min(left / 4, MARGIN_BYTES));
  }

  get isTight(): boolean {
    const disk = this.#disk();
    return disk !== undefined && disk.available < disk.margin * 2;
  }

  release(): boolean {
    this.#unchecked = 0;
    try {
      rmSync(this.#reserve);
      this.#released = true;
      return true;
    } catch {
      return false;
    }
  }

  restore(): void {
    if (!this.#released) return;
    this.#released = false;
    this.#keepReserve(this.#disk()?.available ?? 0);
  }

  get #reserve(): string {
    return `${this.#file}-reserve`;
  }

  #hasReserve(): boolean {
    return lstatSync(this.#reserve, { throwIfNoEntry: false }) !== undefined;
  }

  #keepReserve(room: number): void {
    const bytes = reserveOf(this.#disk()?.total ?? 0);
    if (room < bytes || this.#hasReserve()) return;
    try {
      // Random, because some file systems allocate nothing for zeros.
      writeFileSync(this.#reserve, randomBytes(bytes), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') this.release();
    }
  }

  #disk(): { readonly total: number; readonly available: number; readonly margin: number } | undefined {
    try {
      const { bsize, blocks, bavail } = statfsSync(dirname(this.#file));
      const total = blocks * bsize;
      return total === 0
        ? undefined
        : { total, available: bavail * bsize, margin: Math.min(MARGIN_BYTES, total / 4) };
    } catch {
      return undefined;
    }
  }
}

function reserveOf(total: number): number {
  return Math.floor(Math.min(RESERVE_BYTES, total / 8));
}
