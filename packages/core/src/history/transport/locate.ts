/**
 * Where the result of a call is in an event that a host streams: the shapes of the AI SDK, OpenAI,
 * Anthropic, LangChain and AG-UI. What is not recognised passes as it is. Events are never changed:
 * a limited one is a new object.
 */
import { isRecord } from '../shapes/json.ts';

/** A result inside an event. */
export interface LocatedResult {
  /** The id of the call that it answers. */
  readonly callId: string;
  /** What the tool returned, as the event has it. */
  readonly content: unknown;
  /** `text`: only a text can stand there. */
  readonly kind: 'value' | 'text';
  /** The same event with other content. */
  replace(content: unknown): unknown;
}

/** Finds the result in an event, or says that there is none. */
export type Locate = (event: unknown) => LocatedResult | null;

type Fields = Readonly<Record<string, unknown>>;

interface Shape {
  readonly matches: (event: Fields) => boolean;
  readonly id: string;
  readonly content: string;
  readonly kind: LocatedResult['kind'];
}

const SHAPES: readonly Shape[] = [
  { matches: typed('tool-output-available'), id: 'toolCallId', content: 'output', kind: 'value' },
  { matches: typed('tool-output-error'), id: 'toolCallId', content: 'errorText', kind: 'text' },
  { matches: typed('tool-result'), id: 'toolCallId', content: 'output', kind: 'value' },
  { matches: typed('tool-error'), id: 'toolCallId', content: 'error', kind: 'value' },
  { matches: ending('tool_result'), id: 'tool_use_id', content: 'content', kind: 'text' },
  { matches: ending('_call_output'), id: 'call_id', content: 'output', kind: 'text' },
  { matches: typed('function_call_result'), id: 'callId', content: 'output', kind: 'value' },
  { matches: typed('TOOL_CALL_RESULT'), id: 'toolCallId', content: 'content', kind: 'text' },
  { matches: typed('tool'), id: 'tool_call_id', content: 'content', kind: 'text' },
  { matches: ({ role }) => role === 'tool', id: 'tool_call_id', content: 'content', kind: 'text' },
];
/** Results are not looked for below: events are no trees. */
const DEEPEST = 6;

/** The shapes that are known. */
export const locateResult: Locate = (event) => {
  if (!isRecord(event)) return null;
  const shape = SHAPES.find(({ matches, id }) => matches(event) && typeof event[id] === 'string');
  if (shape === undefined) return null;
  const callId = String(event[shape.id]);
  const content = event[shape.content];
  // A text can only be replaced by a text; a list of blocks by anything that says what it is.
  const kind = shape.kind === 'text' && typeof content === 'string' ? 'text' : 'value';
  return { callId, content, kind, replace: (other) => ({ ...event, [shape.content]: other }) };
};

/** The event with every result in it limited, at any depth; itself if nothing changed. */
export async function eachResult(
  event: unknown,
  limit: (event: unknown, found: LocatedResult) => Promise<unknown>,
  depth = 0,
): Promise<unknown> {
  const found = locateResult(event);
  if (found !== null) return limit(event, found);
  if (typeof event !== 'object' || event === null || depth === DEEPEST) return event;
  const changed: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(event)) {
    const made = await eachResult(inner, limit, depth + 1);
    if (made !== inner) changed.push([name, made]);
  }
  if (changed.length === 0) return event;
  const copy = Array.isArray(event) ? [...event] : { ...event };
  return Object.assign(copy, Object.fromEntries(changed));
}

function ending(suffix: string): (event: Fields) => boolean {
  return ({ type }) => typeof type === 'string' && type.endsWith(suffix);
}

function typed(type: string): (event: Fields) => boolean {
  return (event) => event.type === type;
}
