/**
 * Whether a call reads a file: then its result is the file's content, and what is shown of it is
 * exact text. Known by the name of the tool, by an editor's `view`, or by a command that prints
 * files and does nothing else: `cat a.ts`, `cd lib && nl -ba a.py | sed -n '1,80p'`.
 */
import { remembered } from '../text/memo.ts';
import { simpleCommands } from './shell-line.ts';

const MOST_REMEMBERED = 256;

const TOOLS =
  /^(?:.*[_.:/-])?(?:read|view|open|cat|fetch|get)_?(?:text_?|media_?|multiple_?)?(?:files?|notebook|code)$|^(?:.*__)?(?:read|view|cat)$/;
const COMMAND_TOOLS =
  /^(?:.*[_.:/-])?(?:execute_?command|run_?command|exec(?:_command)?|execute_bash|local_shell(?:_call)?|shell|bash|terminal|powershell|command|run)$/;
const EDITORS =
  /(?:^|[_.:/-])(?:editor|edit|edit_file|str_replace_editor|text_editor|str_replace_based_edit_tool)$/;

/** How the names of tools end that these match: for most names no pattern has to be compiled. */
const TOOL_ENDS = ['file', 'files', 'notebook', 'code', 'read', 'view', 'cat'];
const EDITOR_ENDS = ['editor', 'edit', 'edit_file', 'edit_tool'];

/** Programs that print files, and those that pass on some of the lines they are given. */
const PRINTS = /^(?:cat|head|tail|nl|bat|batcat|type|more|less|get-content|gc)$/i;
const PASSES_ON = /^(?:cat|head|tail|nl|more|less)$/;
/** Programs that print little or nothing of their own. */
const SILENT = /^(?:cd|pushd|popd|echo|printf|pwd|set|export|source|true|:)$/;

export function readsFile(tool: string, input: unknown): boolean {
  switch (toolKind(tool)) {
    case 'file':
      return true;
    case 'editor':
      return commandIn(input) === 'view';
    case 'command':
      return printsFiles(commandIn(input));
    case 'other':
      return false;
  }
}

const toolKind = remembered(MOST_REMEMBERED, (tool): 'file' | 'editor' | 'command' | 'other' => {
  const name = snakeCase(tool);
  if (endsIn(name, TOOL_ENDS) && TOOLS.test(name)) return 'file';
  if (endsIn(name, EDITOR_ENDS) && EDITORS.test(name)) return 'editor';
  return COMMAND_TOOLS.test(name) ? 'command' : 'other';
});

function endsIn(name: string, ends: readonly string[]): boolean {
  return ends.some((end) => name.endsWith(end));
}

function snakeCase(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
}

/** The file whose content a command prints; null if it prints several or that is not known. */
export function filePrinted(tool: string, input: unknown): string | null {
  if (!readsFile(tool, input)) return null;
  const files = (simpleCommands(commandIn(input)) ?? [])
    .filter(({ words, piped }) => !piped && printsFile(words))
    .flatMap(({ words: [program = '', ...rest] }) => filesIn(baseName(program), rest));
  const [only] = files;
  return only !== undefined && files.length === 1 ? only : null;
}

function filesIn(program: string, words: readonly string[]): readonly string[] {
  const operands = program === 'sed' ? words.slice(2) : words;
  return operands.filter((word) => !word.startsWith('-') && !/^\d+$/.test(word));
}

export const isCommandTool = remembered(MOST_REMEMBERED, (tool) => COMMAND_TOOLS.test(snakeCase(tool)));

function printsFiles(line: string): boolean {
  const commands = simpleCommands(line) ?? [];
  const prints = commands.filter(({ piped }) => !piped).filter(({ words }) => printsFile(words));
  return (
    prints.length > 0 &&
    commands.every(({ words, piped }) => (piped ? passesOn(words) : printsFile(words) || isSilent(words)))
  );
}

function printsFile([program = '', ...rest]: readonly string[]): boolean {
  const name = baseName(program);
  const hasFile = rest.some((word) => !word.startsWith('-') && !/^\d+$/.test(word));
  return (PRINTS.test(name) && hasFile) || (name === 'sed' && isPrintingSed(rest) && rest.length > 2);
}

function passesOn([program = '', ...rest]: readonly string[]): boolean {
  return PASSES_ON.test(program) || (program === 'sed' && isPrintingSed(rest));
}

/** `sed -n '10,20p'`. */
function isPrintingSed(rest: readonly string[]): boolean {
  return rest[0] === '-n' && /^[\d,$;+~ p]+$/.test(rest[1] ?? '');
}

function isSilent([program = '']: readonly string[]): boolean {
  return SILENT.test(program) || /^[A-Z_]+=\S*$/.test(program);
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

export function commandIn(input: unknown): string {
  if (typeof input === 'string') return input;
  if (input === null || typeof input !== 'object') return '';
  const { command, cmd, args } = input as Readonly<Record<string, unknown>>;
  if (typeof command === 'string' && args === undefined) return command;
  const program =
    Array.isArray(command) && /^(?:ba|z|da)?sh$/.test(baseName(String(command[0])))
      ? command.slice(2)
      : (command ?? cmd ?? '');
  const words = [program, args].flatMap((each) => (Array.isArray(each) ? each : [each]));
  return words.filter((word) => typeof word === 'string').join(' ');
}
