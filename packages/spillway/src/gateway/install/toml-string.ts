/** What a string of TOML says: basic or literal, on one line or over several. */

const SHORT: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
};

/** An escape, or a line end that a backslash takes out together with the white space behind it. */
const ESCAPES = /\\(?:([btnfre"\\])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|[ \t]*\r?\n\s*)/g;

/** `written` has its quotes. An escape that means nothing stays as it is written. */
export function tomlString(written: string): string {
  const mark = written[0] ?? '';
  const long = written.startsWith(mark.repeat(3)) && written.length >= 6;
  const width = long ? 3 : 1;
  const closed = written.length > width && written.endsWith(mark);
  const body = written.slice(width, closed ? -width : undefined);
  const text = long ? body.replace(/^\r?\n/, '') : body;
  if (mark === "'") return text;
  return text.replace(ESCAPES, (_, short?: string, ...digits: (string | undefined)[]) => {
    if (short !== undefined) return SHORT[short] ?? '';
    const hex = digits.slice(0, 3).find((one) => one !== undefined);
    if (hex === undefined) return '';
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
  });
}
