/**
 * What the program knows of the terminal it may have: whether a stream is one, how wide it is, and
 * whether colours are wanted.
 */
import { fstatSync } from 'node:fs';

export type StreamNumber = 0 | 1 | 2;

/**
 * Whether a stream is a terminal. Files and pipes are told without loading Node's terminal support.
 */
export function isTerminal(stream: StreamNumber): boolean {
  try {
    if (!fstatSync(stream).isCharacterDevice()) return false;
  } catch {
    // A stream that is closed is none.
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(stream);
}

/** Columns of the terminal behind a stream; undefined where there is none. */
export function columnsOf(stream: 1 | 2): number | undefined {
  return isTerminal(stream) ? (stream === 1 ? process.stdout : process.stderr).columns : undefined;
}

/**
 * Dim text for notes beside the result; as it is where colours are not wanted
 * (https://no-color.org).
 */
export function dim(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const plain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return plain ? text : `\x1b[2m${text}\x1b[22m`;
}

// Who runs a command: an agent, by the variables that it sets for its commands, or a person at a
// terminal. What a person looks at is not noted as a fetch by a model.

const AGENTS: readonly (readonly [variable: RegExp, agent: string])[] = [
  [/^CLAUDECODE$|^CLAUDE_CODE_/, 'claude-code'],
  [/^CODEX_/, 'codex'],
  [/^GEMINI_CLI$/, 'gemini'],
  [/^CURSOR_AGENT$/, 'cursor'],
  [/^OPENCODE/, 'opencode'],
  [/^CLINE_/, 'cline'],
  [/^COPILOT_CLI$/, 'copilot'],
  [/^(?:AI_)?AGENT$/, 'another agent'],
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent inside of which a command runs; undefined if none is known. */
function agentIn(env: Environment): string | undefined {
  const names = Object.keys(env);
  return AGENTS.find(([variable]) => names.some((name) => variable.test(name)))?.[1];
}

export function isPerson(
  env: Environment = process.env,
  isTerminal = process.stdout.isTTY === true,
): boolean {
  return isTerminal && agentIn(env) === undefined;
}

/** The agent as an option of a capture. */
export function callingAgent(): { readonly agent?: string } {
  const agent = agentIn(process.env);
  return agent === undefined ? {} : { agent };
}
