/**
 * The media type that a content block names for its text, from what stands before the text:
 * `{"type":"resource","resource":{"uri":"file:///sales.csv","mimeType":"text/csv","text":"`. The
 * file name of the URI becomes the parameter `name`: `text/csv; name="sales.csv"`. A server that
 * names them behind the text is not heard, since the text is on its way into the store by then.
 */

/** More bytes before a text are not read. */
const MOST_BEFORE = 64 * 1024;
const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/;
/** The last step of a path, where it has an extension. */
const FILE_NAME = /([\w.-]{1,200}\.\w{1,12})(?:[?#][\s\S]*)?$/;

/** `depth`: how many objects are open around the text, the block included. */
export function blockMediaType(before: Uint8Array, depth: number): string | undefined {
  if (before.length > MOST_BEFORE) return undefined;
  const block = parsed(`${Buffer.from(before).toString('utf8')}"${'}'.repeat(depth)}`);
  const { mimeType, uri } = { ...block, ...objectIn(block?.resource) };
  const type = typeof mimeType === 'string' ? TYPE.exec(mimeType)?.[0] : undefined;
  const name = typeof uri === 'string' ? FILE_NAME.exec(uri.slice(-300))?.[1] : undefined;
  return name === undefined ? type : `${type ?? 'text/plain'}; name="${name}"`;
}

type Members = Readonly<Record<string, unknown>>;

/** Undefined where it is no block: a second text in a block has none of its beginning before it. */
function parsed(json: string): Members | undefined {
  try {
    return objectIn(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function objectIn(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null ? (value as Members) : undefined;
}
