/**
 * The body of a JSON string (what stands between its quotes): what it says, and the *spelling* by
 * which the same bytes can be written again. Everything works on bytes held as latin1 strings, so
 * bytes that are not UTF-8 survive. Lone surrogates are decoded as WTF-8.
 */

/** What well-known writers escape besides what `JSON.stringify` does; each has a letter. */
const SPELLINGS = {
  /** JSON.stringify. */
  t: null,
  /** Python: all that is not printable ASCII. */
  w: /[\x7f-\uffff]/g,
  /** Go. */
  g: /[<>&\u2028\u2029]/g,
  /** PHP. */
  p: /[/\x80-\uffff]/g,
} as const;

export type Spelling = keyof typeof SPELLINGS;

const ESCAPES = /(?:\\(?:u[\dA-Fa-f]{4}|["\\/bfnrt]))+/g;
const COMMON: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\t': '\t' };

/** An incomplete or wrong escape stays as it is. */
export function decodeBody(body: string): string {
  if (!body.includes('\\')) return body;
  return body.replace(ESCAPES, (run) => COMMON[run] ?? wtf8(JSON.parse(`"${run}"`) as string));
}

/** The spelling in which a text was written; undefined if it is not a known one. */
export function spellingOf(text: string, body: string): Spelling | undefined {
  return (Object.keys(SPELLINGS) as Spelling[]).find((spelling) => spellBody(text, spelling) === body);
}

export function spellBody(text: string, spelling: Spelling): string {
  const plain = JSON.stringify(Buffer.from(text, 'latin1').toString('utf8')).slice(1, -1);
  const escaped = SPELLINGS[spelling];
  const spelled = escaped === null ? plain : plain.replace(escaped, escapeOf);
  return Buffer.from(spelled).toString('latin1');
}

function escapeOf(char: string): string {
  return char === '/' ? '\\/' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** How much can be decoded without cutting a character or an escape. */
export function wholeChars(body: string): number {
  let end = body.length - (/[\xc2-\xf4][\x80-\xbf]{0,2}$/.exec(body)?.[0].length ?? 0);
  while (end > 0) {
    const at = body.lastIndexOf('\\', end - 1);
    if (at === -1 || at < end - 6) return end;
    let first = at;
    while (body[first - 1] === '\\') first--;
    // The second backslash of a pair begins nothing.
    if ((at - first) % 2 === 1) return end;
    const last = body.slice(at, end);
    const isWhole = last.length >= (last[1] === 'u' ? 6 : 2);
    const mayPair = last.length === 6 && /^\\u[Dd][89ABab]/.test(last);
    if (isWhole && !mayPair) return end;
    end = at;
  }
  return 0;
}

function wtf8(text: string): string {
  if (text.isWellFormed()) return Buffer.from(text).toString('latin1');
  return Array.from(text, (char) => {
    const point = char.codePointAt(0) as number;
    if (char.isWellFormed()) return Buffer.from(char).toString('latin1');
    return String.fromCharCode(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
  }).join('');
}
