/**
 * What the tool, its input and the part say about the content. Weak evidence: a hint lowers the bar
 * for a kind and settles what the text leaves open; it never makes JSON of what is not JSON, nor
 * code of a listing.
 */
import { FORMATS } from '../formats/index.ts';
import type { Expected, Format } from '../model/format.ts';

export interface Hints {
  /** The sample is the whole text. */
  readonly complete: boolean;
  readonly tool?: string;
  /** Its parameter `name` is a file name: `text/plain; name="sales.csv"`. */
  readonly mediaType?: string;
  /** A file name or path, where the text has one. */
  readonly name?: string;
  /** It is the output of a command. */
  readonly exec?: boolean;
  /** What the tool was given. */
  readonly input?: unknown;
  /** Lines so far, and those that had colours or were redrawn, if that was already removed. */
  readonly seen?: LinesSeen;
  /** The expected kinds, if already known. */
  readonly expected?: readonly Expected[];
}

export interface LinesSeen {
  readonly lines: number;
  readonly controlled: number;
}

/** What the hints of all formats say: the file name first, then the media type, then the tool. */
export function expectedKinds(hints: Hints, formats: readonly Format[] = FORMATS): Expected[] {
  const known = formats.flatMap(({ hints: own = [] }) => own);
  const tool = snakeCase(hints.tool ?? '');
  const mediaType = hints.mediaType?.replace(/;[\s\S]*/, '').toLowerCase() ?? '';
  const extension = extensionOf(hints, tool);
  const isCommand = hints.exec === true || COMMAND_TOOL.test(tool);
  return [
    known.filter(({ extensions }) => extension !== undefined && extensions?.includes(extension)),
    known.filter(({ mediaTypes }) => mediaTypes?.test(mediaType)),
    known.filter(({ tools }) => tools?.test(tool)),
    known.filter(({ ofCommands }) => isCommand && ofCommands),
  ]
    .flat()
    .map(({ kind, detail }) => (detail === undefined ? { kind } : { kind, detail }));
}

const READING_TOOL = /read|view|open|cat|fetch|get|load|truncate/;
const COMMAND_TOOL = /(?:^|_)(?:exec|execute|run|bash|shell|command|terminal)(?:_|$)/;

/** A path in the input tells the kind only if the tool reads that file. */
function extensionOf({ name, mediaType = '', input }: Hints, tool: string): string | undefined {
  const fileName = name ?? /;\s*name="?([^";]+)/i.exec(mediaType)?.[1];
  const path = fileName ?? (READING_TOOL.test(tool) ? pathIn(input) : undefined);
  return /\.(\w{1,12})$/.exec(path ?? '')?.[1]?.toLowerCase();
}

function snakeCase(name: string): string {
  return name
    .slice(0, 200)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

const PATH_KEYS = ['path', 'file_path', 'filePath', 'file', 'filename', 'uri', 'url'];

export function pathIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  for (const key of PATH_KEYS) {
    const value = (input as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'string') return value.slice(-300).replace(/[?#][\s\S]*/, '');
  }
  return undefined;
}
