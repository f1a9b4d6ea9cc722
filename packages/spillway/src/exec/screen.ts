/**
 * Recognises a screen: a program that places its text by row and column, or takes over the whole
 * screen, wrote a recording of what was seen and not a text. Looks at the first megabytes only.
 * Colours, line erasing and progress on one line are no screen.
 */
const LOOKED_AT_BYTES = 4 * 1024 * 1024;
/** A clear-screen or two are in many a log; an editor places its cursor all the time. */
const PLACED_OFTEN = 5;
/** The longest sequence that matters, for those that two chunks share. */
const LONGEST = 16;
const ESC = 0x1b;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters
const ALTERNATE = /\x1b\[\?(?:1049|1047|47)h/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are control characters
const PLACED = /\x1b\[\d{1,4};\d{1,4}[Hf]/g;

export class ScreenDetector {
  #bytes = 0;
  #placed = 0;
  #rest = '';
  #isScreen = false;

  get isScreen(): boolean {
    return this.#isScreen;
  }

  push(chunk: Uint8Array): void {
    if (this.#isScreen || this.#bytes > LOOKED_AT_BYTES) return;
    this.#bytes += chunk.length;
    if (this.#rest === '' && chunk.indexOf(ESC) < 0) return;
    const text = this.#rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    const found = text.match(PLACED) ?? [];
    this.#placed += found.length;
    this.#isScreen = ALTERNATE.test(text) || this.#placed >= PLACED_OFTEN;
    this.#rest = unfinished(text);
  }
}

/** A sequence that the chunk begins and the next one may end. */
function unfinished(text: string): string {
  const at = text.lastIndexOf('\x1b');
  const begun = at < 0 ? '' : text.slice(at);
  return begun.length <= LONGEST && !/[@-Z\\-~]$/.test(begun.slice(2)) ? begun : '';
}
