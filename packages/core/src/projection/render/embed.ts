/**
 * Puts a notice into a JSON text, so that it stays one: as a reserved key of the outermost object or as the first element of the outermost
 * array. The key is one that the text does not hold. In XML and HTML it is a comment, behind the declaration. Read by models, pinned by a
 * test.
 */
export function embedNotice(body: string, notice: string): string {
  if (body.startsWith('<')) return embedComment(body, notice.trimEnd());
  const said = JSON.stringify(notice.trimEnd());
  const rest = body.slice(1);
  const comma = /^\s*[\]}]/.test(rest) ? '' : ',';
  if (body.startsWith('[')) return `[${said}${comma}${rest}`;
  if (!body.startsWith('{')) return body;
  let key = '$spillway';
  while (body.includes(`"${key}"`)) key += '_';
  return `{"${key}":${said}${comma}${rest}`;
}

/** Two hyphens may not stand in a comment. */
function embedComment(body: string, notice: string): string {
  const [declaration = ''] = /^<\?xml\s[^>]*\?>/.exec(body) ?? [];
  return `${declaration}<!-- ${notice.replace(/-(?=-)/g, '- ')} -->${body.slice(declaration.length)}`;
}
