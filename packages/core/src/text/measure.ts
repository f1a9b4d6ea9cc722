/**
 * Measures text that is already a string: the projection's own. Lines as everywhere: LF, CRLF and
 * CR end one.
 */
export function measureText(text: string): { readonly chars: number; readonly lines: number } {
  let lines = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) lines++;
  }
  const last = text.charCodeAt(text.length - 1);
  return { chars: text.length, lines: lines + (text.length > 0 && last !== 10 && last !== 13 ? 1 : 0) };
}
