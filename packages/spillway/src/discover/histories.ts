/**
 * The histories that agents keep on disk, as one list of tool results. Everything is read only; a
 * database is copied before it is opened. Each agent has a reader for one JSON object of its
 * history; objects that a reader does not know are passed over, because layouts change between
 * versions.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { found } from '../accounts.ts';
import { homeOf } from '../config/locations.ts';
import { type Fields, isFields, text } from '../hook/hook-agent.ts';

/** One result of a tool as the model read it. */
export interface HistoryResult {
  readonly agent: string;
  readonly session: string;
  /** When it came, in milliseconds; 0 if the history does not say. */
  readonly at: number;
  readonly tool: string;
  readonly input: unknown;
  readonly shown: string;
  readonly failed: boolean;
  /** The agent cut it. */
  readonly cut: boolean;
  /** The whole text, where the history itself holds it. */
  readonly whole?: string;
  /** The file in which the agent kept the whole text. */
  readonly file?: { readonly path: string; readonly folder: string; readonly name: RegExp };
}

/** What a reader finds in one object: a call, a result, or chars of other messages. */
interface Found {
  readonly call?: { readonly id: string; readonly tool: string; readonly input: unknown };
  readonly result?: Omit<HistoryResult, 'agent' | 'session' | 'at' | 'tool' | 'input'> & {
    readonly id: string;
    readonly tool?: string;
    readonly input?: unknown;
  };
  readonly otherChars?: number;
}

interface Source {
  readonly agent: string;
  readonly title: string;
  /** The agent's own folder, below the home, and the variable that names another one. */
  readonly own: readonly [folder: string, variable: string];
  /** Its sessions, below that folder. */
  readonly folder: string;
  /** Files of it that hold a session. */
  readonly files: RegExp;
  readonly read: (line: Fields, folder: string) => Iterable<Found>;
}

export const SOURCES: readonly Source[] = [
  {
    agent: 'claude-code',
    title: 'Claude Code',
    own: ['.claude', 'CLAUDE_CONFIG_DIR'],
    folder: 'projects',
    files: /\.jsonl$/,
    *read({ message, toolUseResult }, folder) {
      if (!isFields(message)) return;
      if (typeof message.content === 'string') yield { otherChars: message.content.length };
      for (const block of fieldsIn(message.content)) {
        if (block.type === 'tool_use') yield callOf(block.id, block.name, block.input);
        else if (block.type === 'tool_result') {
          const shown = textOf(block.content);
          const [, named] =
            /^<persisted-output>[^\n]*\n.*?saved to: (\S+)/s.exec(shown.slice(0, 2_000)) ?? [];
          const path = text(isFields(toolUseResult) ? toolUseResult.persistedOutputPath : undefined) ?? named;
          yield {
            result: {
              id: String(block.tool_use_id),
              shown,
              failed: block.is_error === true,
              cut: path !== undefined || /\.\.\. \[\d+ characters truncated\] \.\.\./.test(shown),
              ...(path === undefined ? {} : { file: { path, folder, name: /\.(?:txt|json)$/ } }),
            },
          };
        } else yield { otherChars: textOf([block]).length };
      }
    },
  },
  {
    agent: 'codex',
    title: 'Codex',
    own: ['.codex', 'CODEX_HOME'],
    folder: 'sessions',
    files: /\/rollout-[^/]*\.jsonl$/,
    *read({ payload }) {
      if (!isFields(payload)) return;
      const { type, item } = payload;
      if (type === 'function_call' || type === 'custom_tool_call')
        yield callOf(payload.call_id, payload.name, parsed(payload.arguments ?? payload.input));
      else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
        const shown = codexText(payload.output);
        const [, code = '0'] = /^Process exited with code (\d+)$/m.exec(shown.slice(0, 400)) ?? [];
        yield {
          result: {
            id: String(payload.call_id),
            shown,
            failed: code !== '0',
            cut: /^Warning: truncated output \(original token count: \d+\)$|…\d+ (?:tokens|chars) truncated…|^\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]$/m.test(
              shown,
            ),
          },
        };
      } else if (isFields(item) && item.type === 'CommandExecution') {
        const output = text(item.aggregated_output);
        // Codex keeps 64 KB of it at most.
        if (output !== undefined && Buffer.byteLength(output) < 65_536)
          yield {
            result: {
              id: String(item.id),
              shown: '',
              failed: item.exit_code !== 0,
              cut: true,
              whole: output,
            },
          };
      } else if (type === 'message') yield { otherChars: textOf(payload.content).length };
    },
  },
  {
    agent: 'gemini',
    title: 'Gemini CLI',
    own: ['', 'GEMINI_CLI_HOME'],
    folder: '.gemini/tmp',
    files: /\/chats\/[^/]*\.jsonl?$/,
    *read(line, folder) {
      if (line.type === 'user' || line.type === 'gemini') yield { otherChars: textOf(line.content).length };
      for (const call of fieldsIn(line.toolCalls)) {
        const [answer] = fieldsIn(call.result).flatMap(({ functionResponse }) =>
          isFields(functionResponse) && isFields(functionResponse.response)
            ? [functionResponse.response]
            : [],
        );
        if (answer === undefined) continue;
        const shown = unwrapped(text(answer.output) ?? text(answer.error) ?? '');
        const [, path] =
          /^Output too large\.[^\n]*For full output see: (\S+)/.exec(shown.trimStart().slice(0, 2_000)) ?? [];
        yield {
          result: {
            id: String(call.id),
            tool: String(call.name),
            input: call.args,
            shown,
            failed:
              call.status === 'error' ||
              answer.error !== undefined ||
              /^Exit Code: [1-9]/m.test(shown.slice(-500)),
            cut: path !== undefined,
            ...(path === undefined ? {} : { file: { path, folder, name: /\.txt$/ } }),
          },
        };
      }
    },
  },
  {
    agent: 'opencode',
    title: 'opencode',
    own: ['.local/share', 'XDG_DATA_HOME'],
    folder: 'opencode',
    files: /\/opencode\.db$/,
    *read({ type, tool, callID, state, ...rest }, folder) {
      if (type === 'text') yield { otherChars: text(rest.text)?.length ?? 0 };
      if (type !== 'tool' || !isFields(state) || (state.status !== 'completed' && state.status !== 'error'))
        return;
      const metadata = isFields(state.metadata) ? state.metadata : {};
      const path = text(metadata.outputPath);
      yield {
        result: {
          id: String(callID),
          tool: String(tool),
          input: state.input,
          shown: text(state.output) ?? text(state.error) ?? '',
          failed: state.status === 'error' || (typeof metadata.exit === 'number' && metadata.exit !== 0),
          cut: metadata.truncated === true && path !== undefined,
          ...(path === undefined ? {} : { file: { path, folder, name: /^tool_\w+$/ } }),
        },
      };
    },
  },
  {
    agent: 'pi',
    title: 'pi',
    own: ['.pi/agent', 'PI_CODING_AGENT_DIR'],
    folder: 'sessions',
    files: /\.jsonl$/,
    *read({ message }) {
      if (!isFields(message)) return;
      if (message.role !== 'toolResult') {
        for (const block of fieldsIn(message.content))
          if (block.type === 'toolCall') yield callOf(block.id, block.name, block.arguments);
          else yield { otherChars: textOf([block]).length };
        return;
      }
      const shown = textOf(message.content);
      // Of a command that failed only the text names the file.
      const [, named] = /^\[Showing .* Full output: (\S+)\]$/m.exec(shown.slice(-500)) ?? [];
      const path = text(isFields(message.details) ? message.details.fullOutputPath : undefined) ?? named;
      yield {
        result: {
          id: String(message.toolCallId),
          tool: String(message.toolName),
          shown,
          failed: message.isError === true,
          cut: path !== undefined,
          ...(path === undefined
            ? {}
            : { file: { path, folder: tmpdir(), name: /^pi-bash-[\da-f]+\.log$/ } }),
        },
      };
    },
  },
  {
    agent: 'copilot',
    title: 'Copilot CLI',
    own: ['.copilot', 'COPILOT_HOME'],
    folder: 'session-state',
    files: /\/events\.jsonl$/,
    *read({ type, data }) {
      if (!isFields(data)) return;
      if (type === 'tool.execution_start') yield callOf(data.toolCallId, data.toolName, data.arguments);
      else if (type === 'tool.execution_complete') {
        const { result, error, shellExecution } = data;
        const shown =
          text(isFields(result) ? result.content : undefined) ?? textOf(isFields(error) ? error.message : '');
        const [, path] = /^Output too large to read at once [^\n]*Saved to: (\S+)/.exec(shown) ?? [];
        const exitCode = isFields(shellExecution) ? shellExecution.exitCode : undefined;
        yield {
          result: {
            id: String(data.toolCallId),
            shown,
            failed: data.success === false || (typeof exitCode === 'number' && exitCode !== 0),
            cut: path !== undefined || /^\[omitted \d+ match\(es\) in \d+ file\(s\)/m.test(shown.slice(-500)),
            ...(path === undefined
              ? {}
              : { file: { path, folder: tmpdir(), name: /^\d+-copilot-tool-output-[\w-]+\.txt$/ } }),
          },
        };
      } else if (type === 'user.message' || type === 'assistant.message')
        yield { otherChars: textOf(data.content).length };
    },
  },
];

/** A session of an agent, result by result in their order. */
export interface HistorySession {
  readonly agent: string;
  readonly session: string;
  readonly results: readonly HistoryResult[];
  /** Chars of everything else that was said in it. */
  readonly otherChars: number;
  readonly bytes: number;
  /** Lines that could not be read. */
  readonly unreadable: number;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where an agent keeps its sessions, with `~` for the home. */
export function folderName(source: Source, env: Env): string {
  return historyFolder(source, { ...env, HOME: '~' });
}

function historyFolder({ own: [folder, variable], folder: below }: Source, env: Env): string {
  return join(env[variable] || join(homeOf(env) ?? '', folder), below);
}

/** How much there is to read. */
export function historyBytes(env: Env, since: number): number {
  const files = SOURCES.flatMap((source) => historyFiles(source, env, since, []));
  return files.reduce((sum, file) => sum + (found(statSync, file)?.size ?? 0), 0);
}

/** The sessions of an agent, the newest last. What cannot be read is added to `unreadable`. */
export function* sessionsOf(
  source: Source,
  env: Env,
  since: number,
  unreadable: string[],
): Generator<HistorySession> {
  const folder = historyFolder(source, env);
  for (const file of historyFiles(source, env, since, unreadable))
    try {
      if (file.endsWith('.db')) yield* databaseSessions(source, folder, file, since);
      else yield sessionOf(source, folder, sessionName(file), jsonLines(file), since, statSync(file).size);
    } catch {
      unreadable.push(file);
    }
}

/** The files of an agent's history, the newest last; those not touched since then are left out. */
function historyFiles(source: Source, env: Env, since: number, unreadable: string[]): string[] {
  const root = historyFolder(source, env);
  if (!existsSync(root)) return [];
  return filesBelow(root, unreadable)
    .filter((path) => source.files.test(path))
    .map((path) => ({ path, at: found(statSync, path)?.mtimeMs ?? 0 }))
    .filter(({ at }) => at >= since)
    .sort((a, b) => a.at - b.at)
    .map(({ path }) => path);
}

function filesBelow(folder: string, unreadable: string[]): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path, unreadable) : entry.isFile() ? [path] : [];
    });
  } catch {
    unreadable.push(folder);
    return [];
  }
}

function sessionName(file: string): string {
  const name = basename(file).replace(/\.jsonl?$/, '');
  return name === 'events' ? basename(join(file, '..')) : name;
}

function* databaseSessions(
  source: Source,
  folder: string,
  file: string,
  since: number,
): Generator<HistorySession> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const copies = mkdtempSync(join(tmpdir(), 'spillway-discover-'));
  try {
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(file + end)) copyFileSync(file + end, join(copies, `history.db${end}`));
    const database = new DatabaseSync(join(copies, 'history.db'));
    try {
      const parts = database.prepare(
        'SELECT data, time_updated AS at FROM part WHERE session_id = ? ORDER BY time_created, id',
      );
      for (const { id } of database.prepare('SELECT id FROM session').all()) {
        const rows = parts.all(id ?? '');
        const lines = rows.map(({ data, at }) => ({ ...fieldsOf(data), timestamp: at }));
        yield sessionOf(source, folder, String(id), lines, since, JSON.stringify(rows).length);
      }
    } finally {
      database.close();
    }
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

function sessionOf(
  source: Source,
  folder: string,
  session: string,
  lines: Iterable<Fields | null>,
  since: number,
  bytes: number,
): HistorySession {
  const calls = new Map<string, NonNullable<Found['call']>>();
  // A history may tell a result again, or its whole text before what the model read of it.
  const results = new Map<string, HistoryResult>();
  const wholes = new Map<string, string>();
  let otherChars = 0;
  let unreadable = 0;
  for (const line of lines) {
    if (line === null) unreadable++;
    else
      for (const { call, result, otherChars: chars = 0 } of source.read(line, folder)) {
        const isAsked = timeOf(line) >= since;
        if (call !== undefined) calls.set(call.id, call);
        if (isAsked) otherChars += chars + (call === undefined ? 0 : JSON.stringify(call.input ?? '').length);
        if (result?.whole !== undefined) wholes.set(result.id, result.whole);
        else if (result !== undefined && isAsked) {
          const { tool, input } = { ...calls.get(result.id), ...result };
          const { agent } = source;
          results.set(result.id, {
            ...result,
            agent,
            session,
            at: timeOf(line),
            tool: tool ?? 'unknown',
            input,
          });
        }
      }
  }
  const whole = (id: string) => (wholes.has(id) ? { whole: wholes.get(id) as string } : {});
  return {
    agent: source.agent,
    session,
    results: [...results].map(([id, result]) => ({ ...result, ...(result.cut ? whole(id) : {}) })),
    otherChars,
    bytes,
    unreadable,
  };
}

function timeOf({ timestamp }: Fields): number {
  const at = typeof timestamp === 'number' ? timestamp : Date.parse(String(timestamp));
  return Number.isNaN(at) ? 0 : at;
}

const STEP = 1 << 20;
/** A longer line is not parsed. */
const MOST_LINE_BYTES = 128 << 20;

/** The objects in the lines of a file; null for a line that is not one. */
function* jsonLines(path: string): Generator<Fields | null> {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(STEP);
  let held: Buffer[] = [];
  let heldBytes = 0;
  try {
    for (let read = readSync(file, chunk); ; read = readSync(file, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(10); read > 0 && end !== -1 && end < read; end = chunk.indexOf(10, from)) {
        const line = [...held, chunk.subarray(from, end)];
        if (heldBytes + end - from > 1)
          yield fieldsOf(heldBytes > MOST_LINE_BYTES ? '' : Buffer.concat(line).toString());
        [held, heldBytes, from] = [[], 0, end + 1];
      }
      if (read === 0) break;
      if (heldBytes <= MOST_LINE_BYTES) held.push(Buffer.from(chunk.subarray(from, read)));
      heldBytes += read - from;
    }
    // An agent that is running may have written a part of the last line.
    if (heldBytes > 1) yield fieldsOf(Buffer.concat(held).toString()) ?? {};
  } finally {
    closeSync(file);
  }
}

function fieldsOf(line: unknown): Fields | null {
  const value = parsed(line);
  return isFields(value) ? value : null;
}

/** The value of a JSON text; the text itself if it is none. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

function callOf(id: unknown, tool: unknown, input: unknown): Found {
  return { call: { id: String(id), tool: String(tool), input } };
}

function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The text of a string, or of blocks. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return fieldsIn(value)
    .flatMap((block) => text(block.text) ?? text(block.thinking) ?? [])
    .join('\n');
}

/** Gemini CLI puts what a command printed between two lines of its own. */
export function unwrapped(output: string): string {
  return output.replace(/^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/, '$1');
}

/** Codex wraps some results in JSON of its own. */
function codexText(output: unknown): string {
  const value = parsed(output);
  return isFields(value) && typeof value.output === 'string' ? value.output : textOf(output);
}
