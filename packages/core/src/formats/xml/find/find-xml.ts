/**
 * Elements and attributes under a path, in one pass over XML of any size. Each match is told with
 * the path that leads to it alone: `/a/b[3]/c`. Which steps an element has passed is kept as one
 * bit a step.
 */

import { SpillwayError } from '../../../model/errors.ts';
import type { Match, MatchSink, StoredText } from '../../../model/stored-text.ts';
import { Kind, type TreeSink, type TreeToken } from '../../../table/tree/tree-sink.ts';
import { XmlScan } from '../../../table/tree/xml-scan.ts';
import { decode } from '../../../text/utf8.ts';
import { parseXmlPath, type XmlPath, type XmlStep } from './path.ts';

export async function findXml(stored: StoredText, path: string, matches: MatchSink): Promise<void> {
  const scan = new XmlScan(new PathMatcher(parseXmlPath(path), matches), 'xml');
  for await (const piece of stored.from(0)) {
    scan.push(piece);
    if (scan.failure !== null || matches.enough) break;
  }
  if (!matches.enough) scan.finish();
  if (scan.failure !== null)
    throw new SpillwayError(
      'invalid_argument',
      `This part is not well-formed XML (${scan.failure}), so xml_path cannot be used. Ask by lines, chars or pattern.`,
    );
}

interface Level {
  /** Bit n: the first n steps lead here. */
  readonly passed: number;
  readonly step: string;
  readonly match: Match | null;
  children: number;
  readonly names: Map<string, number>;
}

const MOST_NAMES = 100_000;
const LABEL_CHARS = 1_000;

class PathMatcher implements TreeSink {
  readonly #path: XmlPath;
  readonly #matches: MatchSink;
  readonly #levels: Level[] = [{ passed: 1, step: '', match: null, children: 0, names: new Map() }];

  constructor(path: XmlPath, matches: MatchSink) {
    this.#path = path;
    this.#matches = matches;
  }

  open(token: TreeToken): void {
    const name = decode(token.key());
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
      reached && attribute === null ? this.#matches.begin(token.start, () => this.#label(level.step)) : null;
    this.#levels.push({ ...level, match });
  }

  close({ end }: TreeToken): void {
    this.#matches.end(this.#levels.pop()?.match ?? null, end);
  }

  leaf(token: TreeToken): void {
    const { steps, attribute } = this.#path;
    const isReached = ((this.#levels.at(-1)?.passed ?? 0) & (1 << steps.length)) !== 0;
    if (token.kind !== Kind.attribute || attribute === null || !isReached) return;
    const name = decode(token.key());
    if (attribute !== '*' && attribute !== name) return;
    this.#matches.add(token.start, token.end, () => this.#label(`/@${name}`));
  }

  #label(last: string): string {
    const path = this.#levels.map(({ step }) => step).join('') + last;
    return `${path.length <= LABEL_CHARS ? path : `${path.slice(0, LABEL_CHARS).toWellFormed()}…`}: `;
  }
}

function fits({ name: wanted, positions }: XmlStep, name: string, position: number): boolean {
  if (wanted !== '*' && wanted !== name) return false;
  return positions === null || (position >= positions[0] && position <= positions[1]);
}
