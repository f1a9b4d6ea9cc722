/**
 * Copilot CLI, event postToolUse: `modifiedResult` takes the place of the result. A result that
 * Copilot kept in a file is read there.
 */
import { type BoundableResult, type Fields, type HookAgent, isFields, text } from './hook-agent.ts';
import { persistedText } from './persisted-text.ts';
import { textResult } from './result-shapes.ts';

const SAVED = /^Output too large to read at once \([^)\n]*\)\. Saved to: (.+)$/m;
const ENDED = /\n*(<shellId: \S+ completed with exit code (\d+)>)\s*$/;

export const copilot: HookAgent = {
  name: 'copilot',
  title: 'Copilot CLI',
  read(given) {
    const { toolName: tool, toolArgs, toolResult: response } = given;
    if (typeof tool !== 'string' || !isFields(response)) return null;
    const { textResultForLlm: output } = response;
    if (response.resultType !== 'success' || typeof output !== 'string') return null;
    return {
      tool,
      session: text(given.sessionId) ?? 'copilot',
      cwd: text(given.cwd) ?? process.cwd(),
      input: argumentsIn(toolArgs),
      result: savedResult(output, response) ?? textResult(output, (shown) => withText(response, shown)),
    };
  },
  answer: (shown) => ({ modifiedResult: shown }),
};

/** Copilot shows the beginning and names the file; how the command ended stands at the end. */
function savedResult(output: string, response: Fields): BoundableResult | null {
  const path = SAVED.exec(output.slice(0, 2_000))?.[1];
  if (path === undefined) return null;
  const whole = persistedText(path, undefined);
  if (whole === null)
    return { ...textResult(output, (shown) => withText(response, shown)), sourceTruncated: true };
  const [, ending = '', code] = ENDED.exec(output) ?? [];
  return {
    captured: { kind: 'exec', stdout: whole, ...(code === undefined ? {} : { exitCode: Number(code) }) },
    notice: 'embedded',
    addedChars: ending.length + 1,
    shownAs: (projection) => withText(response, [projection.text, ending].join('\n').trimEnd()),
  };
}

function withText(response: Fields, shown: string): Fields {
  return { ...response, textResultForLlm: shown };
}

/** Some versions give the arguments as JSON. */
function argumentsIn(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
