/**
 * Where the result of a call is in an event that a host streams: the shapes of the AI SDK, OpenAI,
 * Anthropic, LangChain and AG-UI. What is not recognised passes as it is. Events are never changed:
 * a limited one is a new object.
 */
import { type Fields, isRecord } from '../shapes/json.ts';

/** A result inside an event. */
export interface LocatedResult {
  /** The id of the call that it answers. */
  readonly callId: string;
  /** What the tool returned, as the event has it. */
  readonly content: unknown;
  /** `text`: only a text can stand there. */
  readonly kind: 'value' | 'text';
  /** The same event with other content. */
  readonly replace: (content: unknown) => unknown;
}

/** The type of an event, or `…` and its end; the fields of the id and of the content. */
const EVENTS: readonly (readonly [type: string, id: string, content: string, kind: LocatedResult['kind']])[] =
  [
    ['tool-output-available', 'toolCallId', 'output', 'value'],
    ['tool-output-error', 'toolCallId', 'errorText', 'text'],
    ['tool-result', 'toolCallId', 'output', 'value'],
    ['tool-error', 'toolCallId', 'error', 'value'],
    ['…tool_result', 'tool_use_id', 'content', 'text'],
    ['…_call_output', 'call_id', 'output', 'text'],
    ['function_call_result', 'callId', 'output', 'value'],
    ['TOOL_CALL_RESULT', 'toolCallId', 'content', 'text'],
    ['tool', 'tool_call_id', 'content', 'text'],
  ];
/** Results are not looked for below: events are no trees. */
const DEEPEST = 6;

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

function locateResult(event: unknown): LocatedResult | null {
  if (!isRecord(event)) return null;
  const found = EVENTS.find(([type, id]) => isOf(event, type) && typeof event[id] === 'string');
  if (found === undefined) return null;
  const [, id, field, usual] = found;
  const content = event[field];
  // A text can only be replaced by a text; a list of blocks by anything that says what it is.
  const kind = usual === 'text' && typeof content === 'string' ? 'text' : 'value';
  return {
    callId: String(event[id]),
    content,
    kind,
    replace: (other) => ({ ...event, [field]: other }),
  };
}

function isOf({ type, role }: Fields, wanted: string): boolean {
  if (wanted.startsWith('…')) return typeof type === 'string' && type.endsWith(wanted.slice(1));
  return type === wanted || (wanted === 'tool' && role === 'tool');
}
