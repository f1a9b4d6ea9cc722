/**
 * Text as a terminal may show it. Captured text can move the cursor, set the title, fill the
 * clipboard or turn the reading direction. Here each control character becomes visible text:
 * `\x1b`, `\u202e`. Line ends and tabs stay; colours are dropped. JSON stays valid JSON: it holds
 * no raw characters below U+0020, and the others are escaped as in its strings.
 */

/** A colour, the CR of a line end, or one character: C0, C1, line separators, bidi controls. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\x1b\[[\d;:]{0,60}m|\r(?=\n)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;
/** Only the next chunk tells what this is: a carriage return, or a colour that has begun. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const UNFINISHED = /(?:\r|\x1b(?:\[[\d;:]{0,60})?)$/;

export function visible(text: string): string {
  return text.replace(HIDDEN, (found, at: number) =>
    found.length > 1 || (found === '\r' && text[at + 1] === '\n') ? '' : escaped(found),
  );
}

/** The same in one line, for cells of a table. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`);
}

/**
 * The same for a stream of bytes. Chunks may split characters and colours; bytes that are not UTF-8
 * show as U+FFFD.
 */
export class VisibleStream {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #held = '';

  push(chunk: Uint8Array): string {
    const text = this.#held + this.#decoder.decode(chunk, { stream: true });
    this.#held = UNFINISHED.exec(text)?.[0] ?? '';
    return visible(text.slice(0, text.length - this.#held.length));
  }

  end(): string {
    const rest = this.#held + this.#decoder.decode();
    this.#held = '';
    return visible(rest);
  }
}

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x20
    ? String.raw`\x${code.toString(16).padStart(2, '0')}`
    : String.raw`\u${code.toString(16).padStart(4, '0')}`;
}
