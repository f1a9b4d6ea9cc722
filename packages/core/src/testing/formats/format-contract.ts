/**
 * What every format promises, as data for any test runner. A case is run on a format and on texts
 * of it; what a format does not have (`keep`, `staysValid`, `address`) it promises nothing about.
 *
 *     for (const { name, run } of formatContract) test(name, () => run({ format: ini, texts }));
 */
import assert from 'node:assert/strict';
import { detect } from '../../detect/detect.ts';
import { TextPart } from '../../engine/text-part.ts';
import { Spillway } from '../../engine.ts';
import { FORMATS } from '../../formats/index.ts';
import type { Format } from '../../model/format.ts';
import type { PartText, Selected } from '../../model/part-text.ts';
import type { Share } from '../../model/strategy.ts';
import { DEFAULT_POLICY } from '../../policy/resolve.ts';
import { memoryStore } from '../../stores/memory.ts';
import { PieceCutter } from '../../text/pieces.ts';
import { decode, linesIn } from '../../text/utf8.ts';
import { standardVocabulary } from '../../vocabulary/vocabulary.ts';
import { type ChecksOf, type ContractCheck, casesOf } from '../cases.ts';

/**
 * Checks a selection against the text it was made from: segments lie end to end, their counts are
 * those of the text, and what is kept comes back byte for byte. Places are bytes of the text.
 */
const GAP = { chars: 80, lines: 2 };

/** Little room, and some. */
const SHARES: readonly Share[] = [600, 4_000].map((chars) => ({
  chars,
  lines: Number.POSITIVE_INFINITY,
  gap: GAP,
}));

/** What is kept of a text that arrives in chunks of `size` bytes; each is a piece of its own. */
function selectedOf(part: PartText, bytes: Uint8Array, share: Share, size = bytes.length): Selected {
  const cutter = new PieceCutter('text');
  for (let at = 0; at < bytes.length; at += size)
    for (const piece of [...cutter.push(bytes.subarray(at, at + size)), ...cutter.flush()]) part.push(piece);
  for (const piece of cutter.finish()) part.push(piece);
  return part.select(share);
}

function mustCover(bytes: Uint8Array, { selection, texts, error }: Selected): void {
  assert.equal(error, null, 'the format does not throw');
  let at = 0;
  let lines = 0;
  selection.forEach((segment, i) => {
    const { kind, start, end, chars } = segment;
    assert.equal(start, at, 'segments lie end to end');
    const text = decode(bytes.subarray(start, end));
    assert.equal(chars, text.length, 'the chars of a segment are those of its text');
    if (kind === 'keep') assert.equal(texts[i], text, 'kept text is the text');
    lines += segment.lines;
    at = end;
  });
  assert.equal(at, bytes.length, 'segments reach the end of the text');
  assert.equal(lines, linesIn(decode(bytes)), 'segments have the lines of the text');
}

/** A format, and what it takes to check it. */
export interface FormatSubject {
  /** The format to check. */
  readonly format: Format;
  /** Texts of the format: whole, valid, and each longer than 2,000 chars. */
  readonly texts: readonly string[];
  /** Throws where a text is not valid. Needed where the format `staysValid`. */
  mustBeValid?(text: string): void;
  /** Pieces of the first text, asked for by the format's own argument. */
  readonly pieces?: readonly { readonly argument: string; readonly found: string }[];
}

/** One promise of every format. */
export type FormatCase = ContractCheck<FormatSubject>;

const CALL = { tool: 'any_tool', session: 'session', scope: 'scope' };
const LIMITS = [600, 2_000, 8_000];

const CHECKS: ChecksOf<FormatSubject> = {
  async 'its texts are recognised, whether all of them is seen or only the beginning'({ format, texts }) {
    const formats = listWith(format);
    for (const text of texts) {
      const bytes = Buffer.from(text);
      for (const complete of [true, false]) {
        const { kind } = detect(bytes, { complete }, formats);
        assert.ok(format.kinds.includes(kind), `it was taken for ${kind}`);
      }
    }
  },
  'what is kept is text of the original, gaps say how much is missing, and together they are the whole': (
    subject,
  ) =>
    eachSelection(subject, ({ bytes, share, start }) => {
      mustCover(bytes, selectedOf(start(), bytes, share));
    }),
  'the chunks in which a text arrives change nothing': (subject) =>
    eachSelection(subject, ({ bytes, share, start }) => {
      const { selection } = selectedOf(start(), bytes, share);
      for (const size of [1_000, 77])
        assert.deepEqual(selectedOf(start(), bytes, share, size).selection, selection);
    }),
  async 'what is shown is within the limit, markers and notice included'(subject) {
    for (const text of subject.texts)
      for (const inlineLimit of LIMITS) {
        const { text: shown } = await projected(subject.format, text, inlineLimit);
        assert.ok(shown.length <= inlineLimit, `${shown.length} chars of ${inlineLimit}`);
      }
  },
  async 'a text that is cut stays valid'({ format, texts, mustBeValid }) {
    if (format.staysValid === undefined) return;
    assert.ok(mustBeValid !== undefined, 'mustBeValid is needed: the format says that it stays valid');
    for (const text of texts)
      for (const inlineLimit of LIMITS) mustBeValid((await projected(format, text, inlineLimit)).text);
  },
  'a text that breaks off, or is something else, is refused or covered; it never throws': (subject) =>
    eachSelection(subject, ({ bytes, share, start }) => {
      const foreign = [bytes.subarray(0, bytes.length >> 1), Buffer.from([0xff, 0, 0x0a, 0xc3]), Buffer.of()];
      for (const text of foreign) mustCover(text, selectedOf(start(), text, share));
    }),
  async 'a piece is found by the argument of the format'({ format, texts: [text = ''], pieces = [] }) {
    const { spillway, id } = await projected(format, text, 600);
    for (const { argument, found } of pieces) {
      const args = { artifact_id: id, [format.address?.argument ?? '']: argument };
      const { body } = await spillway.retrieve(args, CALL.scope);
      assert.ok(body.includes(found), `${JSON.stringify(argument)} did not find the piece`);
    }
  },
};

/** What every format promises. */
export const formatContract: readonly FormatCase[] = casesOf(CHECKS);

interface Given {
  readonly bytes: Uint8Array;
  readonly share: Share;
  /** A part that has seen nothing yet. */
  readonly start: () => PartText;
}

/** Each text within each share, where the format decides what is kept. */
async function eachSelection({ format, texts }: FormatSubject, check: (given: Given) => void): Promise<void> {
  if (!decides(format)) return;
  for (const text of texts)
    for (const share of SHARES) {
      const bytes = Buffer.from(text);
      const start = () => partOf(format, share);
      const { decidedBy } = selectedOf(start(), bytes, share);
      assert.ok(text.length <= share.chars || decidedBy === 'element', 'the format decides');
      check({ bytes, share, start });
    }
}

function partOf(format: Format, share: Share): PartText {
  return new TextPart({
    policy: { ...DEFAULT_POLICY, strategy: 'element' },
    isDefaultStrategy: false,
    spec: { role: 'content', kind: 'text', name: 'text' },
    tool: CALL.tool,
    input: undefined,
    about: undefined,
    isFile: false,
    cleans: false,
    reachChars: share.chars,
    vocabulary: standardVocabulary,
    formats: () => listWith(format),
    added: () => undefined,
  });
}

/** Whether the format decides what is kept. */
function decides({ plan, keep }: Format): boolean {
  return plan !== undefined || keep !== undefined;
}

async function projected(format: Format, text: string, inlineLimit: number) {
  const spillway = new Spillway({ store: memoryStore(), formats: added(format) });
  const strategy = decides(format) ? { strategy: 'element' } : {};
  const policy = { inlineLimit, notice: 'embedded' as const, ...strategy };
  const { projection } = await spillway.process(CALL, { kind: 'text', text }, { policy });
  return { spillway, text: projection.text, id: projection.metadata.artifact_id };
}

const added = (format: Format) => (FORMATS.includes(format) ? [] : [format]);
const listWith = (format: Format) => [...added(format), ...FORMATS];
