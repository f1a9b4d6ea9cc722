/**
 * The small part of XPath that is understood: `/a/b[3]/c`, `//c`, `/a//c`, `*`, and an attribute at
 * the end, `/a/b/@id`; and, which XPath has not, a range: `/a/b[3-9]`. A number counts elements of
 * the same name below one parent (with `*`: all elements), from 1.
 */
import { SpillwayError } from '../../../model/errors.ts';

export interface XmlStep {
  readonly reach: 'child' | 'descendant';
  /** `*` is any. */
  readonly name: string;
  /** From 1; null for all. */
  readonly positions: readonly [first: number, last: number] | null;
}

export interface XmlPath {
  readonly steps: readonly XmlStep[];
  /** The attribute asked for, `*` for each; null for elements. */
  readonly attribute: string | null;
  /** Whether the attribute may be anywhere below: `//@id`. */
  readonly attributeReach: 'child' | 'descendant';
}

const MOST_STEPS = 30;
const NAME = String.raw`(?:\*|[\p{L}_:][\p{L}\p{N}\p{M}_:.\-]*)`;
const STEP = String.raw`(\/\/?)(?:(@)(${NAME})$|(${NAME})(?:\[(\d{1,9})(?:-(\d{1,9}))?\])?)`;

export function parseXmlPath(text: string): XmlPath {
  const steps: XmlStep[] = [];
  // Compiled here: its letter classes take a millisecond.
  const step = new RegExp(STEP, 'uy');
  let at = 0;
  while (at < text.length) {
    step.lastIndex = at;
    const match = step.exec(text);
    if (match === null) throw invalid(at);
    const [whole, slashes, isAttribute, attribute = '', name = '', first, last = first] = match;
    const reach = slashes === '//' ? 'descendant' : 'child';
    if (isAttribute !== undefined) return { steps, attribute, attributeReach: reach };
    if (first === '0' || steps.length === MOST_STEPS) throw invalid(at);
    steps.push({ reach, name, positions: first === undefined ? null : [Number(first), Number(last)] });
    at += whole.length;
  }
  if (steps.length === 0) throw invalid(0);
  return { steps, attribute: null, attributeReach: 'child' };
}

function invalid(at: number): SpillwayError {
  return new SpillwayError(
    'invalid_argument',
    `xml_path is not understood at char ${at + 1}. It may have up to ${MOST_STEPS} steps such as /a, //a, /*, /a[3], /a[3-9], and end with /@name.`,
  );
}
