/**
 * Turns server-sent events into lines: the data of an event becomes one line. Linear, without
 * holding an event. Several data lines are joined by a space, which JSON allows.
 */

export interface EventMarks {
  id: string | null;
  /** Milliseconds to wait before asking again, within our bounds. */
  retryMs: number | null;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const LONGEST_FIELD = 1_000;
/** Do not poll a server constantly, nor keep a call waiting for hours. */
const LEAST_RETRY_MS = 100;
const MOST_RETRY_MS = 30_000;
const BYTE_ORDER_MARK = /^\u00ef\u00bb\u00bf/;

export async function* eventLines(
  source: AsyncIterable<Uint8Array>,
  marks: EventMarks,
): AsyncGenerator<Uint8Array> {
  /** Values of data are not kept. */
  let [name, value]: [string, string | null] = ['', null];
  let isFirst = true;
  let hasData = false;
  let afterCr = false;
  for await (const chunk of source) {
    const out: Uint8Array[] = [];
    const endLine = () => {
      if (name === '' && value === null) {
        if (hasData) out.push(Buffer.from('\n'));
        hasData = false;
      }
      if (name === 'id') marks.id = value || null;
      if (name === 'retry' && /^\d+$/.test(value ?? ''))
        marks.retryMs = Math.min(Math.max(Number(value), LEAST_RETRY_MS), MOST_RETRY_MS);
      [name, value, isFirst] = ['', null, false];
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      const isBehindCr = afterCr && byte === LF;
      afterCr = byte === CR;
      if (isBehindCr) continue;
      if (byte === LF || byte === CR) endLine();
      else if (value === null && byte === COLON) {
        if (isFirst) name = name.replace(BYTE_ORDER_MARK, '');
        value = '';
        if (name === 'data' && hasData) out.push(Buffer.from(' '));
        if (name === 'data') hasData = true;
      } else if (value === null) {
        if (name.length < LONGEST_FIELD) name += String.fromCharCode(byte);
      } else {
        let end = at;
        while (end < chunk.length && chunk[end] !== LF && chunk[end] !== CR) end++;
        const isSpace = value === '' && byte === SPACE;
        const bytes = chunk.subarray(isSpace ? at + 1 : at, end);
        if (name === 'data') out.push(bytes);
        value =
          name === 'data' || value.length >= LONGEST_FIELD ? '…' : value + Buffer.from(bytes).toString();
        at = end - 1;
      }
    }
    if (out.length > 0) yield out.length === 1 ? (out[0] as Uint8Array) : Buffer.concat(out);
  }
}
