/**
 * The histories that agents keep on disk, as one list of tool results. Everything is read only; a
 * database is copied before it is opened. Each agent has a reader for one JSON object of its
 * history; objects that a reader does not know are passed over, because layouts change between
 * versions.
 */

import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { found } from '../accounts.ts';
import { fileSource, linesOf } from '../byte-source.ts';
import { homeOf } from '../config/locations.ts';
import { type Fields, isFields, jsonIn } from '../fields.ts';
import { text } from '../hook/hook-agent.ts';

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
  readonly file?: KeptFile;
}

/** A file that a history names, where the agent keeps such files, and what it calls them. */
interface KeptFile {
  readonly path: string;
  readonly folder: string;
  readonly name: RegExp;
}

/** What a reader finds in one object: a call, a result, or chars of other messages. */
interface Found {
  readonly call?: { readonly id: unknown; readonly tool: string; readonly input: unknown };
  readonly result?: Pick<HistoryResult, 'shown' | 'failed' | 'cut' | 'whole'> & {
    readonly id: unknown;
    readonly tool?: string;
    readonly input?: unknown;
    /** The file with the whole text. */
    readonly path?: string | undefined;
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
  /** Files with whole texts: what they are called, and whether they lie in the temporary folder. */
  readonly kept?: { readonly name: RegExp; readonly temporary?: true };
  readonly read: (line: Fields) => Iterable<Found>;
}

export const SOURCES: readonly Source[] = [
  {
    agent: 'claude-code',
    title: 'Claude Code',
    own: ['.claude', 'CLAUDE_CONFIG_DIR'],
    folder: 'projects',
    files: /\.jsonl$/,
    kept: { name: /\.(?:txt|json)$/ },
    *read({ message, toolUseResult }) {
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
              id: block.tool_use_id,
              shown,
              failed: block.is_error === true,
              cut: path !== undefined || /\.\.\. \[\d+ characters truncated\] \.\.\./.test(shown),
              path,
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
            id: payload.call_id,
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
            result: { id: item.id, shown: '', failed: item.exit_code !== 0, cut: true, whole: output },
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
    kept: { name: /\.txt$/ },
    *read(line) {
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
            id: call.id,
            tool: String(call.name),
            input: call.args,
            shown,
            failed:
              call.status === 'error' ||
              answer.error !== undefined ||
              /^Exit Code: [1-9]/m.test(shown.slice(-500)),
            cut: path !== undefined,
            path,
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
    kept: { name: /^tool_\w+$/ },
    *read({ type, tool, callID, state, ...rest }) {
      if (type === 'text') yield { otherChars: text(rest.text)?.length ?? 0 };
      if (type !== 'tool' || !isFields(state) || (state.status !== 'completed' && state.status !== 'error'))
        return;
      const metadata = isFields(state.metadata) ? state.metadata : {};
      const path = text(metadata.outputPath);
      yield {
        result: {
          id: callID,
          tool: String(tool),
          input: state.input,
          shown: text(state.output) ?? text(state.error) ?? '',
          failed: state.status === 'error' || (typeof metadata.exit === 'number' && metadata.exit !== 0),
          cut: metadata.truncated === true && path !== undefined,
          path,
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
    kept: { name: /^pi-bash-[\da-f]+\.log$/, temporary: true },
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
          id: message.toolCallId,
          tool: String(message.toolName),
          shown,
          failed: message.isError === true,
          cut: path !== undefined,
          path,
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
    kept: { name: /^\d+-copilot-tool-output-[\w-]+\.txt$/, temporary: true },
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
            id: data.toolCallId,
            shown,
            failed: data.success === false || (typeof exitCode === 'number' && exitCode !== 0),
            cut: path !== undefined || /^\[omitted \d+ match\(es\) in \d+ file\(s\)/m.test(shown.slice(-500)),
            path,
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
export async function* sessionsOf(
  source: Source,
  env: Env,
  since: number,
  unreadable: string[],
): AsyncGenerator<HistorySession> {
  const folder = source.kept?.temporary ? tmpdir() : historyFolder(source, env);
  const from = { source, folder, since };
  for (const file of historyFiles(source, env, since, unreadable))
    try {
      if (file.endsWith('.db')) yield* databaseSessions(from, file);
      else yield await sessionOf(from, sessionName(file), objectsIn(file), statSync(file).size);
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

/** A history that is read: whole texts lie in `folder`, and older results are left out. */
interface Reading {
  readonly source: Source;
  readonly folder: string;
  readonly since: number;
}

async function* databaseSessions(reading: Reading, file: string): AsyncGenerator<HistorySession> {
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
        yield await sessionOf(reading, String(id), lines, JSON.stringify(rows).length);
      }
    } finally {
      database.close();
    }
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

async function sessionOf(
  { source, folder, since }: Reading,
  session: string,
  lines: Iterable<Fields> | AsyncIterable<Fields | null>,
  bytes: number,
): Promise<HistorySession> {
  const { agent, kept } = source;
  const calls = new Map<unknown, NonNullable<Found['call']>>();
  // A history may tell a result again, or its whole text before what the model read of it.
  const results = new Map<unknown, HistoryResult>();
  const wholes = new Map<unknown, string>();
  let otherChars = 0;
  let unreadable = 0;
  let isUnreadable = false;
  for await (const line of lines) {
    // An agent that is running may have written a part of the last line.
    if (isUnreadable) unreadable++;
    isUnreadable = line === null;
    if (line === null) continue;
    const at = timeOf(line);
    const isAsked = at >= since;
    for (const { call, result, otherChars: chars = 0 } of source.read(line)) {
      if (call !== undefined) calls.set(call.id, call);
      if (isAsked) otherChars += chars + (call === undefined ? 0 : JSON.stringify(call.input ?? '').length);
      if (result?.whole !== undefined) wholes.set(result.id, result.whole);
      else if (result !== undefined && isAsked) {
        const { id, path, tool = 'unknown', input, ...facts } = { ...calls.get(result.id), ...result };
        const file =
          path === undefined || kept === undefined ? {} : { file: { path, folder, name: kept.name } };
        results.set(id, { ...facts, ...file, agent, session, at, tool, input });
      }
    }
  }
  const withWhole = (id: unknown, result: HistoryResult) => {
    const whole = result.cut ? wholes.get(id) : undefined;
    return whole === undefined ? result : { ...result, whole };
  };
  return {
    agent,
    session,
    results: [...results].map(([id, result]) => withWhole(id, result)),
    otherChars,
    bytes,
    unreadable,
  };
}

function timeOf({ timestamp }: Fields): number {
  const at = typeof timestamp === 'number' ? timestamp : Date.parse(String(timestamp));
  return Number.isNaN(at) ? 0 : at;
}

/** A longer line is not parsed. */
const MOST_LINE_BYTES = 128 << 20;

/** The objects in the lines of a file; null for a line that is not one. */
async function* objectsIn(file: string): AsyncGenerator<Fields | null> {
  for await (const line of linesOf(fileSource(file), MOST_LINE_BYTES)) if (line !== '') yield fieldsOf(line);
}

function fieldsOf(line: unknown): Fields | null {
  const value = parsed(line);
  return isFields(value) ? value : null;
}

/** The value of a JSON text; the text itself if it is none. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (jsonIn(value) ?? value) : value;
}

function callOf(id: unknown, tool: unknown, input: unknown): Found {
  return { call: { id, tool: String(tool), input } };
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
