/**
 * What is to be written of a message that is taken apart: its parts, and the *envelope*, the
 * message itself with a reference where a part holds the bytes. `\x01r3:120\x02` stands for the
 * next 120 bytes of part 3, `\x01t3:120:W\x02` for the same as the body of a JSON string in the
 * spelling named W (json-string.ts), and `\x01s3:120\x02` for nothing: how those bytes were written
 * follows as it was. Neither \x01 nor \x02 can occur in valid JSON.
 */
import { decodeBody, SPELLINGS, spellBody, wholeChars } from './json-string.ts';
import { PrefixSample } from './repeats.ts';

/** Parts count from 0 in the order in which they begin; -1 is the envelope. */
export type ScanStep =
  | {
      readonly step: 'begin';
      readonly part: number;
      readonly kind: 'text' | 'json' | 'binary';
      readonly name: string;
      readonly mediaType?: string;
    }
  | { readonly step: 'write'; readonly part: number; readonly bytes: Uint8Array }
  | { readonly step: 'end'; readonly part: number };

export const ENVELOPE = -1;
const PIECE = 16_384;

export class ScanSteps {
  #steps: ScanStep[] = [];
  #parts = 0;

  begin(kind: 'text' | 'json' | 'binary', name: string, mediaType?: string): number {
    const part = this.#parts++;
    const media = mediaType === undefined ? {} : { mediaType };
    this.#steps.push({ step: 'begin', part, kind, name, ...media });
    return part;
  }

  write(part: number, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#steps.push({ step: 'write', part, bytes });
  }

  end(part: number): void {
    this.#steps.push({ step: 'end', part });
  }

  envelope(bytes: Uint8Array): void {
    this.write(ENVELOPE, bytes);
  }

  refer(part: number, bytes: number, how: 'r' | 's' | { readonly spelling: string } = 'r'): void {
    const [letter, name] = typeof how === 'string' ? [how, ''] : ['t', how.spelling];
    this.envelope(Buffer.from(`\x01${letter}${part}:${bytes}${name === '' ? '' : `:${name}`}\x02`));
  }

  taken(): readonly ScanStep[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }
}

/** A string that becomes a part, or continues one: decoded while it arrives. */
export class OpenText {
  readonly part: number;
  readonly sample: PrefixSample;
  readonly #steps: ScanSteps;
  #held = '';
  /** The last spelling that fitted, and the bytes in it not yet referred to. */
  #spelling: string = SPELLINGS[0];
  #unreferred = 0;

  constructor(steps: ScanSteps, part: number, sample = new PrefixSample()) {
    this.#steps = steps;
    this.part = part;
    this.sample = sample;
  }

  push(bytes: Uint8Array): void {
    const body = this.#held + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const end = wholeChars(body);
    this.#held = body.slice(end);
    for (let at = 0; at < end; ) {
      const piece = body.slice(at, Math.min(at + PIECE, end));
      const taken = wholeChars(piece) || piece.length;
      this.#write(piece.slice(0, taken));
      at += taken;
    }
  }

  close(): void {
    if (this.#held !== '') this.#write(this.#held);
    this.#held = '';
    this.#refer();
  }

  #write(body: string): void {
    const text = decodeBody(body);
    const bytes = Buffer.from(text, 'latin1');
    this.sample.push(bytes);
    this.#steps.write(this.part, bytes);
    const fits = (spelling: string) => spellBody(text, spelling) === body;
    const spelling = fits(this.#spelling) ? this.#spelling : SPELLINGS.find(fits);
    if (spelling !== this.#spelling) this.#refer();
    if (spelling === undefined) {
      this.#steps.refer(this.part, bytes.length, 's');
      this.#steps.envelope(Buffer.from(body, 'latin1'));
      return;
    }
    this.#spelling = spelling;
    this.#unreferred += bytes.length;
  }

  #refer(): void {
    if (this.#unreferred > 0) this.#steps.refer(this.part, this.#unreferred, { spelling: this.#spelling });
    this.#unreferred = 0;
  }
}
