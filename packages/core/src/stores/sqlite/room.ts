/**
 * Room on the disk of the store, so that recovery works when there is none left: what deletes must
 * write first (SQLite appends even a deletion to its WAL). Two things keep room for that. New
 * content is refused while there is still a margin, so that the store itself never fills the disk.
 * And a file of a megabyte beside the store, the reserve, is given up when others have filled it;
 * it is made again when there is room. Sizes are bytes.
 */
import { lstatSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpillwayError } from '../../model/errors.ts';
import { PIECE_BYTES } from '../../model/piece.ts';
import { randomBytes } from '../randomness.ts';
import { systemCode } from './folders.ts';

/**
 * On small disks a fourth and an eighth of them. The margin holds a WAL of its usual length twice.
 */
const MARGIN_BYTES = 4 * 1024 ** 2;
const LEAST_MARGIN_BYTES = 256 * 1024;
const RESERVE_BYTES = 1024 ** 2;

export class Room {
  readonly #file: string;
  /** Bytes that may be appended before the disk is looked at again. */
  #unchecked = 0;
  #released = false;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Refuses content that would leave too little room on the disk. `bytes` come behind `before` of
   * the same part; `free` is what the file itself has free.
   */
  mustHold(bytes: number, before: number, free: () => number): void {
    this.#unchecked -= bytes;
    if (this.#unchecked > 0) return;
    const disk = this.#disk();
    if (disk === undefined) return;
    this.#keepReserve(disk.available - disk.margin);
    // Small outputs need little: they are stored where large ones are refused, but not from the
    // reserve that was given up.
    const margin = Math.min(disk.margin, LEAST_MARGIN_BYTES + 4 * before);
    const left = disk.available + free() - margin - (this.#hasReserve() ? 0 : reserveOf(disk.total));
    if (left < bytes)
      throw new SpillwayError(
        'store_full',
        `There is no room left for the store ${this.#file}: free some space on its disk, or purge outputs.`,
        { remedy: 'purge_outputs' },
      );
    // Others fill the disk too.
    this.#unchecked = Math.max(PIECE_BYTES, Math.min(left / 4, MARGIN_BYTES));
  }

  /** Whether so little is left that what is free in the file should go back to the disk. */
  get isTight(): boolean {
    const disk = this.#disk();
    return disk !== undefined && disk.available < disk.margin * 2;
  }

  /** Gives up the reserve; whether there was one. */
  release(): boolean {
    this.#unchecked = 0;
    try {
      rmSync(this.#reserve);
      this.#released = true;
      return true;
    } catch {
      // There is none: an old store, or somebody needed it before.
      return false;
    }
  }

  /** Makes the reserve again that was given up here, if it fits by now. */
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
      // Not zeros, for which some file systems set nothing aside.
      writeFileSync(this.#reserve, randomBytes(bytes), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      // Another process was quicker, or it did not fit after all.
      if (systemCode(error) !== 'EEXIST') this.release();
    }
  }

  /** Undefined where the system does not tell. */
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
