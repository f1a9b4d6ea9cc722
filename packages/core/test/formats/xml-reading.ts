/**
 * What tests on XML need: a small strict checker that shares nothing with the scanner, a runner,
 * and random documents.
 */
import fc from 'fast-check';
import { keepMarkup } from '../../src/formats/xml/tree.ts';
import { FIELDS, type Policy } from '../../src/model/policy.ts';
import type { Selection } from '../../src/model/selection.ts';
import type { FormatReader, Share } from '../../src/model/strategy.ts';
import { PieceCutter } from '../../src/text/pieces.ts';
import { decode } from '../../src/text/utf8.ts';
import { xmlGap } from '../../src/wording/xml-gap.ts';

const NAME = '[A-Za-z_:\\u0080-\\uffff][\\w:.\\-\\u0080-\\uffff]*';
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^<"]*)"|'([^<']*)')`, 'y');
const START = new RegExp(`<(${NAME})`, 'y');
const END = new RegExp(`</(${NAME})\\s*>`, 'y');
const TOKEN = {
  comment: /<!--(?:(?!--)[\s\S])*-->/y,
  cdata: /<!\[CDATA\[[\s\S]*?\]\]>/y,
  instruction: /<\?(?!xml\s)[\s\S]*?\?>/y,
  declaration: /<\?xml\s[\s\S]*?\?>/y,
  doctype: /<!DOCTYPE[^<>[\]]*(?:\[(?:<!--[\s\S]*?-->|<!ENTITY\s+\S+\s+"[^"]*"\s*>|[^\]<>"])*\]\s*)?>/y,
  text: /[^<]+/y,
};

export interface Checked {
  /** Elements at the top. */
  readonly elements: number;
  readonly texts: readonly string[];
}

/** Throws unless a text is well-formed: a document, or what may stand inside an element. */
export function checkXml(text: string, as: 'document' | 'fragment' = 'document'): Checked {
  const open: string[] = [];
  const texts: string[] = [];
  const entities = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const start = at;
  let elements = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const fail = (why: string): never => {
    throw new Error(`${why} at ${at}: ${text.slice(Math.max(0, at - 60), at + 60)}`);
  };
  const references = (value: string) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
    if (/[\0-\x08\x0b\x0c\x0e-\x1f]/.test(value)) fail('control character');
    for (const [all, name] of value.matchAll(/&([^;&<\s]*;)?/g)) {
      if (name === undefined) fail(`bare ${all}`);
      else if (
        !/^#(?:\d+|x[\da-fA-F]+);$/.test(name) &&
        as === 'document' &&
        !entities.has(name.slice(0, -1))
      )
        fail(`unknown ${all}`);
    }
  };
  while (at < text.length) {
    const here = at;
    if (take(TOKEN.declaration) !== null) {
      if (here !== start || as !== 'document') fail('declaration not at the start');
    } else if (take(TOKEN.comment) !== null || take(TOKEN.instruction) !== null) {
      // Allowed anywhere.
    } else if (take(TOKEN.cdata) !== null) {
      if (open.length === 0 && as === 'document') fail('CDATA outside');
    } else if (text.startsWith('<!DOCTYPE', at)) {
      const doctype = take(TOKEN.doctype) ?? fail('doctype');
      if (elements > 0) fail('late doctype');
      for (const [, name = ''] of doctype[0].matchAll(/<!ENTITY\s+(\S+)/g)) entities.add(name);
    } else if (text.startsWith('</', at)) {
      const end = take(END) ?? fail('end tag');
      if (open.pop() !== end[1]) fail('mismatch');
    } else if (text[at] === '<') {
      const [, name = ''] = take(START) ?? fail('start tag');
      if (open.length === 0 && ++elements > 1 && as === 'document') fail('second root');
      const seen = new Set<string>();
      for (let attribute = take(ATTRIBUTE); attribute !== null; attribute = take(ATTRIBUTE)) {
        if (seen.has(attribute[1] ?? '')) fail('twice');
        seen.add(attribute[1] ?? '');
        references(attribute[2] ?? attribute[3] ?? '');
      }
      const end = take(/\s*(\/?)>/y) ?? fail('tag end');
      if (end[1] === '') open.push(name);
    } else {
      const [run] = take(TOKEN.text) ?? fail('text');
      if (run.includes(']]>')) fail(']]>');
      if (open.length === 0 && as === 'document' && run.trim() !== '') fail('text outside');
      references(run);
      texts.push(run);
    }
  }
  if (open.length > 0) fail('not closed');
  if (as === 'document' && elements !== 1) fail('no root');
  return { elements, texts };
}

export const policy = Object.fromEntries(
  Object.entries(FIELDS).map(([name, field]) => [name, field.default]),
) as unknown as Policy;

export function share(chars: number, lines = Number.POSITIVE_INFINITY): Share {
  return { chars, lines, gap: { chars: 60, lines: 2 } };
}

export interface Ran {
  readonly selector: FormatReader;
  readonly selection: Selection;
  readonly text: string;
  readonly totals: { readonly bytes: number; readonly chars: number; readonly lines: number };
}

/** Streams chunks through the strategy, one or more pieces each, and renders what it selects. */
export function run(
  chunks: readonly Uint8Array[],
  chars: number,
  options: { patch?: Partial<Policy>; markup?: 'xml' | 'html'; lines?: number; reach?: number } = {},
): Ran {
  const strategy = keepMarkup(options.markup ?? 'xml');
  const selector = strategy.start({ ...policy, ...options.patch }, options.reach ?? chars);
  const cutter = new PieceCutter('text');
  for (const chunk of chunks) {
    for (const piece of cutter.push(chunk)) selector.push(piece.bytes);
    for (const piece of cutter.flush()) selector.push(piece.bytes);
  }
  for (const piece of cutter.finish()) selector.push(piece.bytes);
  const totals = cutter.totals();
  if ((selector.failure ?? null) !== null) return { selector, selection: [], text: '', totals };
  const selection = selector.select(share(chars, options.lines));
  return { selector, selection, text: rendered(selector, selection), totals };
}

function rendered(selector: FormatReader, selection: Selection): string {
  return selection
    .map((segment) => {
      if (segment.kind === 'keep') return decode(selector.bytes(segment));
      return segment.kind === 'elide' || segment.what === undefined ? '' : xmlGap(segment.what);
    })
    .join('');
}

const name = fc.constantFrom('item', 'a', 'ns:row', 'größe', 'x-1', 'failure', 'p');
const word = fc.constantFrom(
  'word',
  '日本語',
  '👨‍👩‍👧‍👦',
  'e\u0301',
  '&amp;',
  '&lt;',
  '&#x1F600;',
  '>',
  ' ',
  '\n',
  '\r\n',
  '𝒳',
  '] ',
);
const prose = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const long = fc
  .tuple(prose, fc.integer({ min: 20, max: 1_500 }))
  .map(([text, times]) => text.replaceAll('\n', ' ').repeat(times).slice(0, 30_000));
const value = fc.oneof({ weight: 8, arbitrary: prose }, { weight: 1, arbitrary: long });
const attributes = fc
  .uniqueArray(fc.constantFrom('id', 'name', 'status', 'xml:lang', 'd'), { maxLength: 4 })
  .chain((names) =>
    fc
      .tuple(...names.map((key) => value.map((text) => ` ${key}="${whole(text).replaceAll('"', '')}"`)))
      .map((all) => all.join('')),
  );
const other = fc.constantFrom(
  '<!-- said - twice -->',
  '<?go on?>',
  '<![CDATA[a < b && c]] > ]]>',
  `<![CDATA[${'x'.repeat(700)}]]>`,
);
const indent = fc.constantFrom('', '\n', '\n    ', ' ', '\r\n\t');

const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc
    .tuple(name, attributes, tie('content'), fc.boolean())
    .map(([tag, text, content, empty]) =>
      empty && content === '' ? `<${tag}${text}/>` : `<${tag}${text}>${content}</${tag} >`,
    ),
  content: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(''),
    prose.map(whole),
    long.map(whole),
    other,
    fc
      .tuple(tie('element'), indent, fc.integer({ min: 1, max: 60 }))
      .map(
        ([one, space, times]) =>
          `${space}${`${one}${space}`.repeat(Math.max(1, Math.min(times, Math.floor(60_000 / (one.length + 1)))))}`,
      ),
    fc.array(fc.tuple(tie('element'), indent), { maxLength: 6 }).map((all) => all.flat().join('')),
    fc.array(fc.oneof(tie('element'), prose.map(whole), other), { maxLength: 8 }).map((all) => all.join('')),
  ),
}));

/** Without a reference that was cut off, and without what may not stand in a text. */
function whole(text: string): string {
  return text.replace(/&[^;&]*$/, '').replaceAll(']]>', ']] >');
}

const doctype = fc.constantFrom(
  '',
  '',
  '<!DOCTYPE root>',
  '<!DOCTYPE root [\n<!-- don\'t -->\n<!ENTITY who "me > you">\n]>',
  `<!DOCTYPE root [${'<!ENTITY who "w">'.repeat(40)}]>`,
);
const prolog = fc.constantFrom(
  '',
  '<?xml version="1.0" encoding="UTF-8"?>\n',
  '\uFEFF<?xml version="1.0"?><!-- first -->\r\n',
);

/** Well-formed documents of any shape, up to some hundred thousand chars. */
export const anyXml = fc
  .tuple(prolog, doctype, element, element, fc.constantFrom('', '\n', '\n<!-- last -->\n'))
  .map(([before, type, first, second, after]) => {
    const body = type.includes('who')
      ? `&who;<b t="&who; and &amp;"/>${first}x &who; y${second}`
      : `${first}${second}`;
    return `${before}${type}\n<root>${body}</root>${after}`;
  });
