/**
 * The bytes of everything that is kept of a text, run by run in the order of the text, so that it
 * can be rendered. Places are bytes of the text.
 */
export class KeptBytes {
  readonly #runs: { readonly start: number; readonly bytes: Uint8Array }[] = [];

  add(start: number, bytes: Uint8Array): void {
    this.#runs.push({ start, bytes });
  }

  /** The bytes of a kept range: it lies within neighbouring runs. */
  slice(start: number, end: number): Uint8Array {
    let low = 0;
    let high = this.#runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#runs[middle]?.start ?? 0) <= start) low = middle;
      else high = middle - 1;
    }
    const parts: Uint8Array[] = [];
    for (let i = low, at = start; at < end; i++) {
      const run = this.#runs[i];
      if (run === undefined) break;
      const part = run.bytes.subarray(at - run.start, end - run.start);
      parts.push(part);
      at += part.length;
    }
    return joined(parts);
  }
}

/** One part as it is; several in memory of their own, so that nothing else is held with them. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
