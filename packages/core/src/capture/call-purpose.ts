/** What a call is for, as far as its tool and its input tell. */
import { remembered } from '../text/memo.ts';
import { commandIn, isCommandTool, readsFile } from './file-read.ts';
import { simpleCommands } from './shell-line.ts';

export interface CallPurpose {
  readonly isFile: boolean;
  readonly isCommand: boolean;
  readonly isSearch: boolean;
}

const SEARCH_TOOLS = /(?:^|_)(?:search|grep|rg|ripgrep|find_code|code_search)(?:_|$)/;
const SEARCH_PROGRAMS = /^(?:grep|egrep|fgrep|rg|ag|ack|select-string)$/i;

export function purposeOf(tool: string, input: unknown): CallPurpose {
  const isFile = readsFile(tool, input);
  // What is piped into `spillway truncate` was printed by a program.
  const isCommand = isCommandTool(tool) || (tool === 'truncate' && input === undefined) || isShellCell(input);
  const isSearch = isCommand ? searches(commandIn(input)) : isSearchTool(tool);
  return { isFile, isCommand, isSearch: isSearch && !isFile };
}

const isSearchTool = remembered(256, (tool) => {
  const name = tool
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toLowerCase();
  return SEARCH_TOOLS.test(name);
});

/** Whether a cell of a notebook hands its code to the shell: `!make test`. */
function isShellCell(input: unknown): boolean {
  const code = typeof input === 'object' && input !== null && 'code' in input ? input.code : input;
  return typeof code === 'string' && /^\s*(?:!\s*[\w./]|%%(?:bash|sh)\b)/.test(code);
}

function searches(line: string): boolean {
  const commands = simpleCommands(line) ?? [];
  return commands.some(({ words: [program = '', first = ''] }) => {
    const name = program.slice(program.lastIndexOf('/') + 1);
    return SEARCH_PROGRAMS.test(name) || (name === 'git' && first === 'grep');
  });
}
