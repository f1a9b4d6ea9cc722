/**
 * Who runs a command: an agent, by the variables that it sets for its commands, or a person at a
 * terminal. What a person looks at is not noted as a model's fetch.
 */
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
