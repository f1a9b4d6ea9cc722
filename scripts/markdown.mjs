// Links and headings of a Markdown text, as far as our pages use them: inline links, link
// definitions, HTML's href and src, and ATX headings. Code, fenced or inline, holds neither.

/** `{ target, line }` of every link and picture; lines count from 1. */
export function linksOf(text) {
  // A link may go over the end of a line, so the text is read as a whole.
  const plain = withoutCode(text);
  const inline = /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g;
  const defined = /^\[[^\]]+\]:\s+(\S+)/gm;
  const html = /\s(?:href|src)="([^"]+)"/g;
  return [inline, defined, html].flatMap((pattern) =>
    [...plain.matchAll(pattern)].map((match) => ({
      target: match[1],
      line: plain.slice(0, match.index).split('\n').length,
    })),
  );
}

/** The anchors that a page has: those of its headings as GitHub makes them, and ids in HTML. */
export function anchorsOf(text) {
  const seen = new Map();
  const anchors = new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = slugOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** What GitHub makes of a heading: small letters, digits, hyphens for blanks. */
export function slugOf(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function withoutCode(text) {
  return withoutFences(text).replaceAll(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (code) => ' '.repeat(code.length));
}

/** Fenced code blanked out, line by line, so that numbers of lines stay. */
function withoutFences(text) {
  let fence = null;
  return text
    .split('\n')
    .map((line) => {
      const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
      const isFenced = fence !== null || mark !== undefined;
      if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
      return isFenced ? '' : line;
    })
    .join('\n');
}
