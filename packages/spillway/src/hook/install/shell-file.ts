/**
 * The script that Claude Code runs its commands through (`CLAUDE_CODE_SHELL_PREFIX`). Rules and
 * questions of Claude Code are about the command itself, which comes here unchanged, as one word,
 * with the lines that Claude Code puts around it. The script runs it in the same shell, with the
 * same descriptors. Only if it fails is Spillway started, which replaces what the command left in
 * the file that Claude Code reads. The script is a file of its own beside the user's settings, so
 * that commands run although Spillway is gone.
 */
import { shellWord } from '../../commands/command-hint.ts';
import type { Program } from '../../own-program.ts';

const MARK = '# Written by `spillway hook install`; `spillway hook uninstall` removes it.';

/** The variable of Claude Code that names the script. */
export const SHELL_PREFIX = 'CLAUDE_CODE_SHELL_PREFIX';
export const SHELL_FILE = 'spillway-shell';

export function isShellFile(text: string): boolean {
  return text.includes(MARK);
}

export function shellFileText(program: Program): string {
  return `#!/bin/sh
${MARK}
# Hooks and MCP servers come through here as well: they run as without it.
case $1 in
  *' && pwd -P >| '*cwd*) ;;
  *) exec /bin/sh -c "$1" ;;
esac
unset ${SHELL_PREFIX}
[ "\${SHLVL:-0}" -gt 0 ] 2>/dev/null && SHLVL=$((SHLVL - 1))
case \${1%% 2>/dev/null*} in
  *snapshot-zsh-*) kind=zsh ;;
  *) kind=bash ;;
esac
case \${CLAUDE_CODE_SHELL:-$SHELL} in
  */$kind) shell=\${CLAUDE_CODE_SHELL:-$SHELL} ;;
  *) shell=$kind ;;
esac
# Only a file that is still empty can be replaced.
if ! [ -f /dev/stdout ] || [ -s /dev/stdout ]; then exec "$shell" -c "$1"; fi
# What this shell itself would say of a signal is not for the file.
exec 9>&2 2>/dev/null
(exec "$shell" -c "$1" 2>&9 9>&-)
code=$?
[ $code = 0 ] || ${program.map(shellWord).join(' ')} hook shell "$code" "$1" </dev/null
exit $code
`;
}
