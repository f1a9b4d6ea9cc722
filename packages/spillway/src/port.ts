/** A port as people write it: a number up to 65535; null for anything else. */
export function portOf(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}
