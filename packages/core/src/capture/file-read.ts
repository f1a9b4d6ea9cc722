/**
 * Whether a call reads a file: then its result is the file's content, and what is shown of it is exact
 * text. Known by the name of the tool, or by a command that does nothing but print a file.
 */
const TOOLS =
  /^(?:.*[_.:/-])?(?:read|view|open|cat|fetch|get)_?(?:text_?|media_?|multiple_?)?(?:files?|notebook)$|^(?:.*__)?(?:read|view|cat)$/;
const COMMAND_TOOLS =
  /^(?:.*[_.:/-])?(?:execute_?command|run_?command|exec|shell|bash|terminal|command|run)$/;
/** A command that prints files, and nothing else: no pipe, no second command, no redirection. */
const PRINTS_FILE = /^\s*(?:cat|head|tail|nl|bat|type|more|less|sed\s+-n)\s[^|;&<>`$()\n]*$/;

/** `input`: what the call was given. */
export function readsFile(tool: string, input: unknown): boolean {
  const name = tool.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  if (TOOLS.test(name)) return true;
  return COMMAND_TOOLS.test(name) && PRINTS_FILE.test(commandIn(input));
}

function commandIn(input: unknown): string {
  if (typeof input === 'string') return input;
  if (input === null || typeof input !== 'object') return '';
  const { command, cmd, args } = input as Readonly<Record<string, unknown>>;
  const said = command ?? cmd ?? '';
  const words = [said, args].flatMap((each) => (Array.isArray(each) ? each : [each]));
  return words.filter((word) => typeof word === 'string').join(' ');
}
