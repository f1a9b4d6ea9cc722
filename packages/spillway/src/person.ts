/**
 * Whether a person runs a command: at a terminal, and not inside an agent. What a person looks at is
 * not noted as a model's fetch.
 */
const AGENT_VARIABLES =
  /^(?:CLAUDECODE|CLAUDE_CODE_\w+|CODEX_\w+|GEMINI_CLI|CURSOR_AGENT|OPENCODE\w*|CLINE_\w+|COPILOT_CLI|AI_AGENT|AGENT)$/;

export function isPerson(
  env: Readonly<Record<string, string | undefined>> = process.env,
  isTerminal = process.stdout.isTTY === true,
): boolean {
  return isTerminal && !Object.keys(env).some((name) => AGENT_VARIABLES.test(name));
}
