/**
 * Completion scripts for shells, made from the tables of commands and flags: commands by their
 * words, flags of the command that stands there, and values where they are known. Handles and
 * sessions are asked of the program (`completion --list`), which prints a name and what it is, with
 * a tab between; if it cannot, nothing is offered. Names of files are left to the shell.
 */
import { type CommandSpec, type Flag, HELP } from './flags.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const PROGRAMS = ['spillway', 'acode'];

export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  if (shell === 'bash') return bash(commands);
  return shell === 'zsh' ? zsh(commands) : fish(commands);
}

/** The words that may stand first, and those behind each of them. */
function wordsOf(commands: readonly CommandSpec[]): Map<string, string[]> {
  const words = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    words.set(first, [...(words.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return words;
}

function namesOf({ choices }: Flag): string[] | undefined {
  return choices?.list().map(([name]) => name);
}

function flagsOf({ flags }: CommandSpec): readonly Flag[] {
  return [...flags, HELP];
}

function bash(commands: readonly CommandSpec[]): string {
  const words = wordsOf(commands);
  const groups = [...words].filter(([, second]) => second.length > 0);
  const values = commands.flatMap((command) =>
    flagsOf(command).flatMap((flag) => {
      const names = namesOf(flag);
      const found = names === undefined ? '' : `COMPREPLY=($(compgen -W '${names.join(' ')}' -- "$cur"))`;
      const asked = flag.completes === undefined ? found : `_spillway_stored ${flag.completes}`;
      return asked === '' ? [] : [`    '${command.name} --${flag.name}') ${asked}; return ;;`];
    }),
  );
  const stored = commands.flatMap(({ name, operands: { completes } }) =>
    completes === undefined ? [] : [`    '${name}') _spillway_stored ${completes} ;;`],
  );
  const offered = commands.map((command) => {
    const flags = flagsOf(command).map(({ name }) => `--${name}`);
    const operands = command.operands.choices ?? [];
    return `    '${command.name}') offered='${[...flags, ...operands].join(' ')}' ;;`;
  });
  return `${[
    '# bash completion for spillway: source <(spillway completion bash)',
    // A loop in place of compgen -W, which would expand what it is given.
    '_spillway_stored() {',
    '  local line',
    '  while IFS= read -r line; do',
    `    line="\${line%%$'\\t'*}"`,
    '    [[ -n "$line" && "$line" == "$cur"* ]] && COMPREPLY+=("$line")',
    `  done < <(command "${word('0')}" completion --list "$1" 2>/dev/null)`,
    '}',
    '_spillway() {',
    `  local cur="${word('COMP_CWORD')}" previous="${word('COMP_CWORD-1')}" command="${word('1')}" offered=""`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W '${[...words.keys(), '--help', '--version'].join(' ')}' -- "$cur")); return`,
    '  fi',
    '  case "$command" in',
    ...groups.flatMap(([first, second]) => [
      `    ${first})`,
      `      if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W '${second.join(' ')}' -- "$cur")); return; fi`,
      `      command="$command ${word('2')}" ;;`,
    ]),
    '  esac',
    '  case "$command $previous" in',
    ...values,
    '  esac',
    '  case "$command" in',
    ...offered,
    '  esac',
    '  COMPREPLY=($(compgen -W "$offered" -- "$cur"))',
    '  [[ "$cur" == -* ]] && return',
    '  case "$command" in',
    ...stored,
    '  esac',
    '}',
    `complete -o default -F _spillway ${PROGRAMS.join(' ')}`,
  ].join('\n')}\n`;
}

/** A word of the line that is being completed. */
function word(index: string): string {
  return `\${COMP_WORDS[${index}]}`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const words = wordsOf(commands);
  const summaryOf = (name: string) => commands.find((command) => command.name === name)?.summary ?? '';
  const described = (list: readonly (readonly [word: string, summary: string])[]) =>
    list.map(([word, summary]) => quoted(`${word}:${summary.replaceAll(':', ' ')}`)).join(' ');
  const groups = [...words].filter(([, second]) => second.length > 0);
  return `${[
    `#compdef ${PROGRAMS.join(' ')}`,
    '# zsh completion for spillway: put it on your fpath as _spillway',
    '_spillway_stored() {',
    '  local -a found',
    '  local line',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills these in
    '  for line in "${(@f)$(command ${service:-spillway} completion --list $1 2>/dev/null)}"; do',
    `    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")`,
    '  done',
    '  (( $#found )) && _describe $1 found',
    '}',
    '_spillway() {',
    '  local command="$words[2]"',
    '  if (( CURRENT == 2 )); then',
    `    local -a first=(${described([...words.keys()].map((word) => [word, summaryOf(word)]))})`,
    "    _describe 'command' first; return",
    '  fi',
    '  case "$command" in',
    ...groups.flatMap(([first, second]) => [
      `    ${first})`,
      '      if (( CURRENT == 3 )); then',
      `        local -a second=(${described(second.map((word) => [word, summaryOf(`${first} ${word}`)]))})`,
      "        _describe 'command' second; return",
      '      fi',
      '      command="$command $words[3]" ;;',
    ]),
    '  esac',
    '  case "$command" in',
    ...commands.map((command) => `    ${quoted(command.name)}) _arguments ${zshArguments(command)} ;;`),
    '  esac',
    '}',
    '_spillway "$@"',
  ].join('\n')}\n`;
}

function zshArguments(command: CommandSpec): string {
  const flags = flagsOf(command).map((flag) => {
    const { name, value, many, doc, completes } = flag;
    const names = namesOf(flag);
    const values = names === undefined ? '_files' : `(${names.join(' ')})`;
    // The space keeps _arguments from adding words of its own.
    const asked = completes === undefined ? values : ` _spillway_stored ${completes}`;
    const what = value === undefined ? '' : `:${value}:${asked}`;
    return quoted(`${many === true ? '*' : ''}--${name}[${doc.replaceAll(/[[\]:]/g, ' ')}]${what}`);
  });
  const { choices, completes } = command.operands;
  const operands =
    completes !== undefined
      ? `*:${completes}: _spillway_stored ${completes}`
      : choices === undefined
        ? '*::_files'
        : `1:what:(${choices.join(' ')})`;
  return [...flags, quoted(operands)].join(' ');
}

function fish(commands: readonly CommandSpec[]): string {
  const words = wordsOf(commands);
  const line = (program: string, ...rest: string[]) => `complete -c ${program} ${rest.join(' ')}`;
  const summaryOf = (name: string) => commands.find((command) => command.name === name)?.summary ?? '';
  const of = (program: string): string[] => [
    ...[...words.keys()].map((word) =>
      line(program, "-n '__fish_use_subcommand'", '-f', `-a ${word}`, `-d ${quoted(summaryOf(word))}`),
    ),
    ...[...words].flatMap(([first, second]) =>
      second.map((word) =>
        line(
          program,
          `-n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second.join(' ')}'`,
          '-f',
          `-a ${word}`,
          `-d ${quoted(summaryOf(`${first} ${word}`))}`,
        ),
      ),
    ),
    ...commands.flatMap((command) => {
      const seen = command.name
        .split(' ')
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join('; and ');
      const asked = (what: string) => quoted(`(${program} completion --list ${what} 2>/dev/null)`);
      const flags = flagsOf(command).map((flag) => {
        const names = namesOf(flag);
        const values =
          flag.completes !== undefined ? asked(flag.completes) : names && quoted(names.join(' '));
        return line(
          program,
          `-n '${seen}'`,
          `-l ${flag.name}`,
          ...(flag.value === undefined ? [] : ['-r']),
          ...(values === undefined ? [] : ['-f', `-a ${values}`]),
          `-d ${quoted(flag.doc)}`,
        );
      });
      const { choices, completes } = command.operands;
      const operands = completes !== undefined ? asked(completes) : choices && quoted(choices.join(' '));
      return operands === undefined
        ? flags
        : [...flags, line(program, `-n '${seen}'`, '-f', `-a ${operands}`)];
    }),
  ];
  return `${['# fish completion for spillway', ...PROGRAMS.flatMap(of)].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
