/**
 * The key under which an object says what was left out of it: `$omitted`, or with a number that the
 * object itself does not use.
 */

/** Enough of a member to see whether its key is ours. */
export const RESERVED_BYTES = 24;
const RESERVED = /^"\$omitted(?:_(\d{1,6}))?"/;

/** 1 for a member called `$omitted`, n + 1 for `$omitted_n`, 0 for any other. */
export function reservedNumber(member: Uint8Array): number {
  if (member[1] !== 0x24) return 0;
  const match = RESERVED.exec(Buffer.from(member.subarray(0, RESERVED_BYTES)).toString('latin1'));
  return match === null ? 0 : Number(match[1] ?? 0) + 1;
}

export function reservedKey(used: number): string {
  return used === 0 ? '$omitted' : `$omitted_${used}`;
}
