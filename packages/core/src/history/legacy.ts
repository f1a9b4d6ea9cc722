/**
 * Recognises text that somebody else cut before it reached us: a sign weighs as much as it is
 * rarely found in text that is whole. Nothing is changed by it: the text is kept as it is, with a
 * mark. Confidence is in 0 … 1.
 */
import type { LegacyMark } from '../model/message.ts';

/** So many chars of each end are looked at: what was cut is not longer than both. */
const END_CHARS = 32_000;

/** How much each sign weighs, and how it looks. */
const SIGNS: Readonly<Record<string, readonly [weight: number, pattern: RegExp]>> = {
  'content id': [0.95, /\btruncated_?content_?id\b/i],
  'truncated flag': [0.8, /"(?:is_?|was_?)?truncated"\s*:\s*true\b/i],
  'count of what is missing': [
    0.9,
    /(?:\.{3}|…|\[|\(|<|\bfirst\b|\blast\b)[^\n]{0,40}?\d[\d,._]{0,20}\+?\s?(?:k|m|ki|mi)?b?\s?(?:more )?(?:chars?|characters?|bytes?|lines?|tokens?|items?|rows?|matches|results)[^\n]{0,40}?\b(?:truncated|omitted|elided|removed|hidden|not shown|skipped|clipped)\b|\b(?:truncated|omitted|clipped)\s+(?:by |to |at |after |from )?\d/i,
  ],
  banner: [
    0.75,
    /(?:^|\n)[ \t]*(?:[[(<⚠…]|\.{3}|[-*#=]{2})[^\n]{0,40}?(?:\btruncated\b|\b(?:output|result|response|content|log|observation|tokens?|characters?)s?\b[^\n]{0,30}\b(?:cut off|too long|too large|limit|exceed(?:s|ed|ing)? (?:the )?(?:\w+ )?(?:limit|maximum)))\b[^\n]{0,120}(?:[\])>*#…=-]|\.{3}|$)/i,
  ],
  'count of what was elided': [
    0.8,
    /(?:^|[\n>.])[ \t]{0,8}\d[\d,._]{0,20} (?:chars?|characters|bytes|lines|tokens) (?:were |was |have been )?(?:elided|omitted|truncated|clipped)\b/i,
  ],
  'saved elsewhere': [
    0.7,
    /\b(?:full|complete|entire) (?:tool |command )?(?:output|result|content|response)s?\b(?:[^\n]{0,20}\b(?:saved|stored|written) (?:to|in|at|under)\b|[^\n]{0,8}:\s{0,8}\S{0,200}[/\\])|\btool (?:result|output|call)\b[^\n]{0,80}\bsaved (?:to|in|at|under) (?:the |a )?file/i,
  ],
  'too large to be shown': [
    0.6,
    /(?:^|\n|>)[ \t]*(?:the )?(?:tool |command )?(?:outputs?|results?|responses?|observations?)\b(?: of your last command)?(?: (?:was|is|were|are))?(?: too (?:large|long)\b| should not exceed)/i,
  ],
  'a part is shown': [
    0.6,
    /[[(<][^\n]{0,20}\bshowing (?:only )?(?:the )?(?:first |last )?(?:lines? )?\d[\d,]{0,20}(?:\s?(?:-|–|to)\s?\d[\d,]{0,20})? (?:of|out of) \d[^\n]{0,140}[\])>]|\bonly (?:a )?part of (?:this|the) (?:file|output|result) (?:has been|was|is) shown\b|\bfile has more lines\b/i,
  ],
  'cleared or clipped': [
    0.9,
    /<(?:response|output|observation) clipped>|\[(?:old |earlier )?tool (?:result|output|use)[^\n\]]{0,20}\b(?:cleared|removed|clipped)\]/i,
  ],
  'which end is missing': [0.9, /\.{3} \[(?:beginning|middle|remainder|rest) omitted: \d/i],
  'reference instead of the text': [
    0.8,
    /^\[Artifact: art_\w{3,80}\] [^\n]{1,200} \([\d.,]{1,20} ?[KMG]?i?B\)/,
  ],
  'sentence at the end': [0.75, /\n[ \t]*(?:command|tool) (?:output|result) was truncated\.?$/i],
  'word at the end': [
    0.6,
    /(?:\.{3}|…)\s{0,4}[[(]?\s{0,4}(?:truncated|more|cut|clipped|abbreviated)\s{0,4}[\])]?$/i,
  ],
};

/** Common limits: a text of exactly this length without a line end is a weak sign. */
const COMMON_LIMITS = new Set([
  1_000, 2_000, 2_048, 4_000, 4_096, 5_000, 8_000, 8_192, 10_000, 12_000, 16_000, 16_384, 20_000, 25_000,
  30_000, 32_000, 32_768, 40_000, 50_000, 64_000, 65_536, 100_000,
]);

/** A mark, or null if nothing speaks for it. */
export function detectLegacy(text: string): LegacyMark | null {
  const trimmed = text.trimEnd();
  const looked =
    trimmed.length <= 2 * END_CHARS ? [trimmed] : [trimmed.slice(0, END_CHARS), trimmed.slice(-END_CHARS)];
  const found = Object.entries(SIGNS).flatMap(([name, [weight, pattern]]) =>
    looked.some((sample) => pattern.test(sample)) ? [{ name, weight }] : [],
  );
  if (COMMON_LIMITS.has(text.length) && trimmed.length === text.length)
    found.push({ name: 'common limit', weight: 0.3 });
  if (endsInsideJson(trimmed)) found.push({ name: 'JSON without its end', weight: 0.4 });
  if (found.length === 0) return null;
  // Independent signs: what is left of the doubt is the product of what each leaves.
  const doubt = found.reduce((left, { weight }) => left * (1 - weight), 1);
  return { confidence: Math.round((1 - doubt) * 100) / 100, signs: found.map(({ name }) => name) };
}

/** Begins like a JSON document and does not close it. The text has no blanks at its end. */
function endsInsideJson(text: string): boolean {
  const first = /^\s*([[{])\s*(?:["{[\]}\d]|true|false|null|-)/.exec(text)?.[1];
  if (first === undefined || text.length < 500) return false;
  return !text.endsWith(first === '{' ? '}' : ']');
}
