/**
 * What the plugins of opencode and pi hand over (plugins/): the agent's own result, and the file in
 * which the agent kept all of it, if it cut it. They take back the fields of the result that change.
 */
import { type BoundableResult, type Fields, type HookAgent, isFields, text } from './hook-agent.ts';
import { persistedText } from './persisted-text.ts';
import { blocksResult, textResult } from './result-shapes.ts';

function pluginAgent(name: string, title: string): HookAgent {
  return {
    name,
    title,
    read(given) {
      const { tool, input, result: response } = given;
      if (typeof tool !== 'string' || !isFields(response)) return null;
      const result = resultOf(response);
      if (result === null) return null;
      const callId = text(given.callId);
      return {
        tool,
        session: text(given.session) ?? name,
        cwd: text(given.cwd) ?? process.cwd(),
        input,
        result: wholeResult(result, response, given),
        ...(callId === undefined ? {} : { callId }),
      };
    },
    answer: (shown) => shown as Fields,
  };
}

export const opencode = pluginAgent('opencode', 'opencode');
export const pi = pluginAgent('pi', 'pi');

function resultOf({ output, content }: Fields): BoundableResult | null {
  if (Array.isArray(content)) return blocksResult(content, (blocks) => ({ content: blocks }));
  return typeof output === 'string' ? outputResult(output) : null;
}

/** The lines of a file that opencode read, without what stands around them. */
const FILE = /^(<path>[^\n]*<\/path>\n<type>file<\/type>\n<content>\n)([\s\S]*)(\n<\/content>[\s\S]*)$/;

function outputResult(output: string): BoundableResult {
  const [, before = '', lines = output, after = ''] = FILE.exec(output) ?? [];
  return {
    ...textResult(lines, (shown) => ({ output: `${before}${shown}${after}` })),
    addedChars: before.length + after.length,
  };
}

/** How the call ended; and all of its text, where the agent cut that and kept it in a file. */
function wholeResult(result: BoundableResult, { content }: Fields, given: Fields): BoundableResult {
  const { file, exitCode, isError } = given;
  const ended: BoundableResult = {
    ...result,
    ...(typeof exitCode === 'number'
      ? { outcome: { status: exitCode === 0 ? 'ok' : 'error', exitCode } }
      : isError === true
        ? { outcome: { status: 'error' } }
        : {}),
  };
  if (typeof file !== 'string') return ended;
  const isText = !Array.isArray(content) || content.length === 1;
  const whole = isText ? persistedText(file, undefined) : null;
  if (whole === null) return { ...ended, sourceTruncated: true };
  return {
    ...ended,
    captured: { kind: 'text', text: whole },
    shownAs: (projection) => result.shownAs(projection, () => 0),
  };
}
