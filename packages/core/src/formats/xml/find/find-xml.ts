/**
 * Elements and attributes under a path, in one pass over XML of any size. Each match is told with
 * the path that leads to it alone: `/a/b[3]/c`. Which steps an element has passed is kept as one
 * bit a step.
 */

import { SpillwayError } from '../../../model/errors.ts';
import type { Match, MatchSink, StoredText } from '../../../model/stored-text.ts';
import { decode } from '../../../text/utf8.ts';
import { type ElementSink, XmlElements } from './elements.ts';
import { parseXmlPath, type XmlPath, type XmlStep } from './path.ts';

export async function findXml(stored: StoredText, path: string, matches: MatchSink): Promise<void> {
  const elements = new XmlElements(new PathMatcher(parseXmlPath(path), matches));
  for await (const piece of stored.from(0)) {
    elements.push(piece);
    if (elements.failure !== null || matches.enough) break;
  }
  if (!matches.enough) elements.finish();
  if (elements.failure !== null)
    throw new SpillwayError(
      'invalid_argument',
      `This part is not well-formed XML (${elements.failure}), so xml_path cannot be used. Ask by lines, chars or pattern.`,
    );
}

interface Level {
  /** Bit n: the first n steps lead here. */
  readonly passed: number;
  readonly step: string;
  readonly match: Match | null;
  /** How many children there were, in all and of each name. */
  children: number;
  readonly names: Map<string, number>;
}

/** Names below one parent that are told apart. */
const MOST_NAMES = 100_000;
const LABEL_CHARS = 1_000;

class PathMatcher implements ElementSink {
  readonly #path: XmlPath;
  readonly #matches: MatchSink;
  readonly #levels: Level[] = [{ passed: 1, step: '', match: null, children: 0, names: new Map() }];

  constructor(path: XmlPath, matches: MatchSink) {
    this.#path = path;
    this.#matches = matches;
  }

  open(name: string, tag: Uint8Array, at: number): void {
    const parent = this.#levels.at(-1);
    if (parent === undefined) return;
    const { steps, attribute, attributeReach } = this.#path;
    const ofName = (parent.names.get(name) ?? 0) + 1;
    if (ofName > 1 || parent.names.size < MOST_NAMES) parent.names.set(name, ofName);
    parent.children++;
    let passed = 0;
    for (const [i, step] of steps.entries()) {
      if ((parent.passed & (1 << i)) === 0) continue;
      if (step.reach === 'descendant') passed |= 1 << i;
      if (fits(step, name, step.name === '*' ? parent.children : ofName)) passed |= 1 << (i + 1);
    }
    const end = 1 << steps.length;
    if (attributeReach === 'descendant') passed |= parent.passed & end;
    const level = { passed, step: `/${name}[${ofName}]`, children: 0, names: new Map() };
    const reached = (passed & end) !== 0;
    const match =
      reached && attribute === null ? this.#matches.begin(at, () => this.#label(level.step)) : null;
    this.#levels.push({ ...level, match });
    if (reached && attribute !== null) this.#attributes(tag, at, attribute);
  }

  close(at: number): void {
    this.#matches.end(this.#levels.pop()?.match ?? null, at);
  }

  #attributes(tag: Uint8Array, at: number, wanted: string): void {
    // One char a byte, so that places in the text are places in the bytes.
    const text = Buffer.from(tag.buffer, tag.byteOffset, tag.length).toString('latin1');
    for (const found of text.matchAll(/\s([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
      const name = decode(Buffer.from(found[1] ?? '', 'latin1'));
      if (wanted !== '*' && wanted !== name) continue;
      const end = at + found.index + found[0].length - 1;
      const value = found[2] ?? found[3] ?? '';
      this.#matches.add(end - value.length, end, () => this.#label(`/@${name}`));
    }
  }

  #label(last: string): string {
    const path = this.#levels.map(({ step }) => step).join('') + last;
    return `${path.length <= LABEL_CHARS ? path : `${path.slice(0, LABEL_CHARS).toWellFormed()}…`}: `;
  }
}

function fits(step: XmlStep, name: string, position: number): boolean {
  return (step.name === '*' || step.name === name) && (step.position === null || step.position === position);
}
