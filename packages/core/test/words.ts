/** Words for texts whose lines must not be alike. */

/** A word for a number, of letters only. */
export function wordOf(number: number): string {
  return number
    .toString(16)
    .replaceAll(/./g, (digit) => 'bcdfghjklmnprstv'[Number.parseInt(digit, 16)] as string);
}
