/**
 * Where the result of a call is in an event that a host streams: the shapes of the AI SDK, OpenAI and Anthropic, and our own. What is not
 * recognised passes as it is. Events are never changed: a limited one is a new object.
 */
import { isRecord } from '../shapes/json.ts';

/** A result inside an event. */
export interface LocatedResult {
  readonly callId: string;
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
  { matches: typed('tool_result'), id: 'tool_use_id', content: 'content', kind: 'text' },
  { matches: typed('function_call_output'), id: 'call_id', content: 'output', kind: 'text' },
  { matches: ({ role }) => role === 'tool', id: 'tool_call_id', content: 'content', kind: 'text' },
];

/** The shapes that are known. */
export const locateResult: Locate = (event) => {
  if (!isRecord(event)) return null;
  const shape = SHAPES.find(({ matches }) => matches(event));
  const callId = shape === undefined ? undefined : event[shape.id];
  if (shape === undefined || typeof callId !== 'string') return null;
  const content = event[shape.content];
  // A text can only be replaced by a text; a list of blocks by anything that says what it is.
  const kind = shape.kind === 'text' && typeof content === 'string' ? 'text' : 'value';
  return { callId, content, kind, replace: (other) => ({ ...event, [shape.content]: other }) };
};

function typed(type: string): (event: Fields) => boolean {
  return (event) => event.type === type;
}
