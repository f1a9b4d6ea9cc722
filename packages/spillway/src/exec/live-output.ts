/** How much a command has said: bytes and lines, for the live line. */
import { formatBytes, pluralize } from '@spillway/core/plugin';
import { relay } from '../output.ts';
import { isTerminal } from '../terminal.ts';
import { VisibleStream } from '../visible.ts';

const LF = 10;

export class OutputSize {
  bytes = 0;
  #lines = 0;

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) this.#lines++;
  }

  toString(): string {
    return `${formatBytes(this.bytes)}, ${pluralize(this.#lines, 'line')}`;
  }
}

// The live output of a command for the person who waits for it (`--tee`): on standard error, while
// it is recorded. A terminal gets it with control characters made visible, each stream decoded by
// itself; a file or a pipe gets the bytes. Whoever reads slowly slows the command down.

export class Tee {
  readonly #onTerminal = isTerminal(2);
  readonly #streams = new Map<string, VisibleStream>();
  #insideLine = false;

  async write(stream: string, chunk: Uint8Array): Promise<void> {
    if (!this.#onTerminal) return this.#relay(chunk);
    const visible = this.#streams.get(stream) ?? new VisibleStream();
    this.#streams.set(stream, visible);
    await this.#relay(Buffer.from(visible.push(chunk)));
  }

  /** Ends the last line, so that what follows begins one. */
  async end(): Promise<void> {
    for (const visible of this.#streams.values()) await this.#relay(Buffer.from(visible.end()));
    if (this.#insideLine) await this.#relay(Buffer.from('\n'));
  }

  async #relay(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#insideLine = bytes.at(-1) !== LF;
    await relay(bytes);
  }
}

// Recognises a screen: a program that places its text by row and column, or takes over the whole
// screen, wrote a recording of what was seen and not a text. Looks at the first megabytes only.
// Colours, line erasing and progress on one line are no screen.

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
