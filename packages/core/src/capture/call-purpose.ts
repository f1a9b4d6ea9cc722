/**
 * What a call is for, as far as its tool and its input tell: whether it reads a file, runs a command
 * or searches. Of a file, exact text is shown. A file is known by the name of the tool, by an
 * editor's `view`, or by a command that prints files and does nothing else: `cat a.ts`,
 * `cd lib && nl -ba a.py | sed -n '1,80p'`.
 */
import { remembered } from '../text/memo.ts';

export interface CallPurpose {
  readonly isFile: boolean;
  readonly isCommand: boolean;
  readonly isSearch: boolean;
}

const MOST_REMEMBERED = 256;
const MOST_LINES_REMEMBERED = 64;

/** Kinds of tools by their names in snake_case, the first that matches. */
const TOOLS = {
  file: /^(?:.*[_.:/-])?(?:read|view|open|cat|fetch|get)_?(?:text_?|media_?|multiple_?)?(?:files?|notebook|code)$|^(?:.*__)?(?:read|view|cat)$/,
  editor:
    /(?:^|[_.:/-])(?:editor|edit|edit_file|str_replace_editor|text_editor|str_replace_based_edit_tool)$/,
  command:
    /^(?:.*[_.:/-])?(?:execute_?command|run_?command|exec(?:_command)?|execute_bash|local_shell(?:_call)?|shell|bash|terminal|powershell|command|run)$/,
  search: /(?:^|[^a-z\d])(?:search|grep|rg|ripgrep|find[^a-z\d]code)(?:[^a-z\d]|$)/,
};
const SEARCH_PROGRAMS = /^(?:grep|egrep|fgrep|rg|ag|ack|select-string)$/i;
const SHELL = /^(?:ba|z|da)?sh$/;
/** Programs that print files, and those that pass on some of the lines they are given. */
const PRINTS = /^(?:cat|head|tail|nl|bat|batcat|type|more|less|get-content|gc)$/i;
const PASSES_ON = /^(?:cat|head|tail|nl|more|less)$/;
/** Programs that print little or nothing of their own. */
const SILENT = /^(?:cd|pushd|popd|echo|printf|pwd|set|export|source|true|:)$/;

export function purposeOf(tool: string, input: unknown): CallPurpose {
  const isFile = readsFile(tool, input);
  const kind = toolKind(tool);
  // What is piped into `spillway truncate` was printed by a program.
  const isPiped = tool === 'truncate' && input === undefined;
  const isCommand = kind === 'command' || isPiped || isShellCell(input);
  const isSearch = isCommand ? searches(commandIn(input)) : kind === 'search';
  return { isFile, isCommand, isSearch: isSearch && !isFile };
}

export function readsFile(tool: string, input: unknown): boolean {
  const kind = toolKind(tool);
  if (kind === 'editor') return commandIn(input) === 'view';
  return kind === 'command' ? printsFiles(commandIn(input)) : kind === 'file';
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

const toolKind = remembered(MOST_REMEMBERED, (tool) => {
  const name = tool.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  return Object.entries(TOOLS).find(([, names]) => names.test(name))?.[0] as keyof typeof TOOLS | undefined;
});

/** Whether a cell of a notebook hands its code to the shell: `!make test`. */
function isShellCell(input: unknown): boolean {
  const code = typeof input === 'object' && input !== null && 'code' in input ? input.code : input;
  return typeof code === 'string' && /^\s*(?:!\s*[\w./]|%%(?:bash|sh)\b)/.test(code);
}

function searches(line: string): boolean {
  const commands = simpleCommands(line) ?? [];
  return commands.some(({ words: [program = '', first = ''] }) => {
    const name = baseName(program);
    return SEARCH_PROGRAMS.test(name) || (name === 'git' && first === 'grep');
  });
}

function filesIn(program: string, words: readonly string[]): readonly string[] {
  const operands = program === 'sed' ? words.slice(2) : words;
  return operands.filter((word) => !word.startsWith('-') && !/^\d+$/.test(word));
}

function printsFiles(line: string): boolean {
  const commands = simpleCommands(line) ?? [];
  const isFit = ({ words, piped }: SimpleCommand) =>
    piped ? passesOn(words) : printsFile(words) || isSilent(words);
  return commands.some(({ words, piped }) => !piped && printsFile(words)) && commands.every(isFit);
}

function printsFile([program = '', ...rest]: readonly string[]): boolean {
  const name = baseName(program);
  if (name === 'sed') return isPrintingSed(rest) && rest.length > 2;
  return PRINTS.test(name) && filesIn(name, rest).length > 0;
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
    Array.isArray(command) && SHELL.test(baseName(String(command[0])))
      ? command.slice(2)
      : (command ?? cmd ?? '');
  const words = [program, args].flatMap((each) => (Array.isArray(each) ? each : [each]));
  return words.filter((word) => typeof word === 'string').join(' ');
}

/** `piped`: it reads what the command before it prints. */
export interface SimpleCommand {
  readonly words: readonly string[];
  readonly piped: boolean;
}

const MOST_CHARS = 4_000;
const WORDS =
  /\s+|&&|\|\||\||;|\n|"((?:[^"\\`$]|\\.)*)"|'([^']*)'|(?:[^\s;&|"'`$<>()\\]|\\.|\$(?![({]))+|2?>\s?(?:&\d|\/dev\/null)|([\s\S])/gy;
const KEYWORDS = /^(?:for|while|until|if|case|function|do|then|eval|exec)$/;

/**
 * A command line as simple commands, as far as that is needed to tell what it prints. Quotes are
 * honoured, and the line that `sh -c` is given is read in its place. Null for a line that
 * substitutes, redirects into a file, loops or branches: its words do not show what it prints.
 */
export function simpleCommands(line: string): readonly SimpleCommand[] | null {
  return line.length > MOST_CHARS ? null : commandsOf(line);
}

const commandsOf = remembered(MOST_LINES_REMEMBERED, (line): readonly SimpleCommand[] | null => {
  const commands: { words: string[]; piped: boolean }[] = [{ words: [], piped: false }];
  let isOpen = false;
  for (const match of line.matchAll(WORDS)) {
    const [token, double, single, other] = match;
    if (other !== undefined) return null;
    const current = commands.at(-1)?.words ?? [];
    if (/^(?:&&|\|\||\||;|\n)$/.test(token)) commands.push({ words: [], piped: token === '|' });
    else if (!/^\s|^2?>/.test(token)) {
      // A backslash before a letter is part of a Windows path.
      const word = single ?? (double ?? token).replace(/\\(\W)/g, '$1');
      if (isOpen && current.length > 0) current[current.length - 1] += word;
      else current.push(word);
    }
    isOpen = !/^(?:\s|&&|\|\||\||;)/.test(token);
  }
  const named = commands.filter(({ words }) => words.length > 0);
  if (named.some(({ words: [name = ''] }) => KEYWORDS.test(name))) return null;
  const [only = { words: [] }] = named;
  const [shell = '', flag = '', inner] = only.words;
  return named.length === 1 && inner !== undefined && SHELL.test(baseName(shell)) && /^-\w*c$/.test(flag)
    ? simpleCommands(inner)
    : named;
});
