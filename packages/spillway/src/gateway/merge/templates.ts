/**
 * Templates of URIs (RFC 6570), as far as it takes to tell whether a URI may have been made from
 * one. Linear in the length of the URI.
 */

export function matchesTemplate(template: string, uri: string): boolean {
  const [first = '', ...rest] = template.split(/\{[^{}]*\}/);
  if (!uri.startsWith(first)) return false;
  if (rest.length === 0) return uri === first;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const literal of rest) {
    const found = uri.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}
