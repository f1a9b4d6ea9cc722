// Shell commands at random, each run as Claude Code runs it: in its own shell (bare), and through
// the script that `spillway hook install` writes (wrapped). Both leave the same output, exit code,
// files and folder; only a long output of a command that failed is replaced, and is stored whole.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const TIMEOUT_MS = 30_000;

/** Commands that other wrappers broke, or that could break this one. */
const ATOMS = [
  'echo hello world',
  `printf '%s\\n' "a b" 'c  d' e\\ f`,
  'cat data.txt',
  'grep -rn needle .',
  'grep -c nothing data.txt',
  "grep -E 'a|b' data.txt",
  'grep needle data.txt missing.txt',
  `find . -name '*.txt' -type f | sort`,
  `find . \\( -name 'a*' -o -name 'd*' \\) -print | sort`,
  `find . -type f -exec wc -c {} + | sort`,
  'ls -1 sub',
  'ls missing',
  'false',
  'true',
  'exit 3',
  '(exit 7)',
  'return 4 2>/dev/null',
  'kill -TERM $$',
  'sh -c "exit 137"',
  'no_such_command_here --flag',
  'echo to stderr >&2',
  '{ echo out; echo err >&2; echo out2; }',
  'echo redirected > made.txt',
  'echo appended >> data.txt',
  'echo both &> both.txt; cat both.txt',
  'cat < data.txt | tr a-z A-Z',
  'cat 2>&1 missing.txt | wc -l',
  'wc -l < data.txt',
  'cd sub && pwd',
  'cd sub; export KEPT=1; echo $KEPT',
  'cd missing',
  'pushd sub >/dev/null && ls && popd >/dev/null',
  'cat <<EOF\nhere $HOME_NAME "quoted" `echo cmd`\nEOF',
  "cat <<'EOF'\nliteral $HOME_NAME `nothing` \\\\ \"\nEOF",
  'cat <<-EOF | sort\n\tb\n\ta\n\tEOF',
  'cat <<< "a here string"',
  'tail -n +2 data.txt | head -n 1',
  "awk '{ print $1, NR }' data.txt",
  "sed -n '1,2p' data.txt",
  "sed -i 's/needle/found/' data.txt && cat data.txt",
  `python3 -c 'import sys; sys.stdout.write("py\\n"); sys.exit(2)'`,
  'python3 -m json.tool < data.json',
  'echo $((6 * 7)) ${#PATH_LIKE} ${UNSET:-default}',
  'echo {1..5} *.txt',
  'for i in 1 2 3; do echo "n $i"; done',
  'i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done',
  'if [ -f data.txt ]; then echo yes; else echo no; fi',
  'case abc in a*) echo match ;; *) echo none ;; esac',
  'f() { echo "in f $1"; return 5; }; f x',
  'echo background & wait',
  '(sleep 0.05; echo late) & wait',
  'sleep 0.01 & echo $?; wait',
  'set -e; false; echo not reached',
  'set -o pipefail; false | true; echo $?',
  'trap "echo trapped" EXIT; echo body',
  'read line; echo "[$line]"',
  'echo "tab\there" | cat -A',
  'printf "no line end"',
  'printf "\\xff\\xfe\\x00binary"',
  'printf "\\r\\ncrlf\\r\\n"',
  'printf "\\033[31mred\\033[0m\\n"',
  'echo "ünïcödé 🎉"',
  "echo 'it'\\''s quoted'",
  'echo "a \\"b\\" \\$c \\`d\\`"',
  'echo a \\\n  b',
  'echo one # a comment',
  '! true',
  'test 1 -eq 2',
  '[[ abc == a* ]] && echo glob',
  'diff data.txt sub/inner.txt',
  'mkdir -p deep/er && touch deep/er/file && rmdir deep 2>&1',
  'rm -f data.txt; ls data.txt',
  'cp data.txt copy.txt && cmp data.txt copy.txt && echo same',
  'ln -s data.txt link && cat link',
  'chmod 600 data.txt; stat -c %a data.txt',
  'umask 077; touch private; stat -c %a private',
  'tty',
  'echo "$0" | sed "s|.*/||"',
  'echo $SHLVL $CLAUDE_CODE_SHELL_PREFIX',
  'env | grep -c "^SPILLWAY"',
  'exec echo replaced',
  'exec 3>fd3.txt; echo third >&3; cat fd3.txt',
  'yes | head -n 3',
  'seq 1 300 | tail -n 2',
  'cat <(echo process) <(echo substitution)',
  'tee teed.txt <<< teed | cat',
  'xargs -n1 echo <<< "x y z"',
  'eval "echo evaluated; (exit 6)"',
  'bash -c "echo nested; exit 9"',
  'timeout 1 sleep 0.01; echo $?',
  'timeout 0.05 sleep 5',
  'command -v grep >/dev/null && echo there',
  'a=(1 2 3); echo "${a[@]}" ${#a[@]}',
  'declare -A m=([k]=v); echo ${m[k]}',
  'echo "unfinished',
  'echo ) oops',
  'for x in; do',
  'shopt -s nullglob; echo *.none',
  'alias ll=ls; ll 2>&1 | head -n 1 | cut -c1-5',
  'printf "%s\\n" ~+ | sed "s|.*/||"',
  'node -e "process.stdout.write(String(process.argv.length)); process.exitCode = 8" a b',
];
/** Output that is too long for a model. */
const LONG = [
  'seq 1 20000; exit 1',
  'seq 1 20000',
  'for i in $(seq 1 3000); do echo "line $i of a long build log"; done; echo \'ERROR: it broke\' >&2; exit 2',
  'seq 1 9000 >&2; false',
];

/** So many commands; `random()` gives numbers in 0…1. */
export function shellFuzz(random, count) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const joined = (a, b) => `${a}${pick([' && ', ' || ', '; ', '\n', ' | cat; ', ' 2>&1 && '])}${b}`;
  const wrapped = (a) =>
    pick([
      (x) => `( ${x}\n)`,
      (x) => `{ ${x}\n}`,
      (x) => `if ${x}\nthen echo yes; else echo no $?; fi`,
      (x) => `x=$( ${x}\n); echo "[$x]" $?`,
      (x) => `for n in 1 2; do ${x}\ndone`,
      (x) => `{ ${x}\n} > out.txt 2>&1; code=$?; cat out.txt; (exit $code)`,
      (x) => `{ ${x}\n} 2>/dev/null | sort`,
      (x) => `FOO=bar; ${x}`,
    ])(a);
  return Array.from({ length: count }, (_, i) => {
    if (i < ATOMS.length + LONG.length) return [...ATOMS, ...LONG][i];
    if (random() < 0.02) return pick(LONG);
    const simple = random() < 0.4 ? joined(pick(ATOMS), pick(ATOMS)) : pick(ATOMS);
    const more = random() < 0.5 ? wrapped(simple) : simple;
    return random() < 0.3 ? joined(more, pick(ATOMS)) : more;
  });
}

/** Two processes that write to one file do so in any order: what differs is tried again. */
const TRIES = 5;

/**
 * Runs a command both ways below `folder`; returns what differs, or null. `script`: what
 * `hook install` wrote; `env` is that of both.
 */
export async function compareWays(command, where) {
  for (let tries = 1; ; tries++) {
    const found = await compareOnce(command, where);
    if (found === null || tries === TRIES) return found;
  }
}

async function compareOnce(command, { folder, script, env, stored }) {
  const results = [];
  for (const way of ['bare', 'wrapped']) {
    // One folder for both: its name may stand in what they print.
    const home = join(folder, 'claude');
    const cwd = join(home, 'project');
    rmSync(home, { recursive: true, force: true });
    layOut(cwd);
    const whole = claudeCommand(command, join(home, 'claude-1-cwd'));
    const line = way === 'bare' ? whole : `${quoted(script)} ${quoted(whole)}`;
    const ran = await run(line, { cwd, output: join(home, 'task.output'), env, way });
    results.push({ ...ran, cwd: shownCwd(join(home, 'claude-1-cwd'), home), tree: treeOf(cwd) });
  }
  return difference(...results, { stored, root: join(folder, 'claude', 'project') });
}

async function difference(bare, wrapped, { stored, root }) {
  for (const key of ['code', 'cwd', 'tree'])
    if (bare[key] !== wrapped[key]) return `${key}: ${shown(bare[key])} bare, ${shown(wrapped[key])} wrapped`;
  const [before, after] = [bare, wrapped].map(({ output }) => output);
  if (before.equals(after)) return null;
  const [, id] = /(art_\d+_\w+)/.exec(after.toString('utf8')) ?? [];
  if (id === undefined) return `output: ${shown(before.toString())} bare, ${shown(after.toString())} wrapped`;
  if (bare.code === '0') return 'the output of a command that succeeded was replaced';
  if (after.toString('utf8').length > 9_900) return 'what replaced the output is too long';
  return (await stored(id, root)).equals(before) ? null : 'what is stored is not the output';
}

/** What Claude Code 2.1 hands to the shell. */
export function claudeCommand(command, cwdFile) {
  return `source /nowhere/snapshot-bash-1-x.sh 2>/dev/null || true && { \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true && eval ${quoted(command)} < /dev/null && pwd -P >| ${quoted(cwdFile)}`;
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Standard output and error are one file, as Claude Code opens it. */
function run(line, { cwd, output, env, way }) {
  return new Promise((resolve, reject) => {
    const file = openSync(output, 'a');
    // The variable is there only where the script is used.
    const own = way === 'bare' ? {} : { CLAUDE_CODE_SHELL_PREFIX: 'script' };
    const child = spawn('/bin/bash', ['-c', line], {
      cwd,
      env: { ...env, ...own, HOME_NAME: 'home', PATH_LIKE: 'abc' },
      detached: true,
      stdio: ['pipe', file, file],
      timeout: TIMEOUT_MS,
    });
    closeSync(file);
    child.stdin.end();
    child.on('error', reject);
    // A shell that a signal ended and one that says so are the same to who waits.
    child.on('close', (code, signal) =>
      resolve({ code: `${code ?? 128 + SIGNALS[signal]}`, output: readFileSync(output) }),
    );
  });
}

const SIGNALS = { SIGTERM: 15, SIGKILL: 9, SIGINT: 2, SIGHUP: 1, SIGPIPE: 13 };

function layOut(cwd) {
  mkdirSync(join(cwd, 'sub'), { recursive: true });
  mkdirSync(join(cwd, '.git'));
  writeFileSync(join(cwd, 'data.txt'), 'alpha one\nneedle two\nbeta three\n');
  writeFileSync(join(cwd, 'data.json'), '{"a": [1, 2]}');
  writeFileSync(join(cwd, 'sub', 'inner.txt'), 'inner needle\n');
}

function shownCwd(file, home) {
  try {
    return readFileSync(file, 'utf8').replaceAll(home, '');
  } catch {
    return 'none';
  }
}

/** Files below a folder with mode and content; what Spillway keeps is left out. */
function treeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => !`${parentPath}/${name}`.slice(folder.length).startsWith('/.acode'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length);
      if (entry.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      if (!entry.isFile()) return name;
      const digest = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12);
      return `${name} ${(statSync(path).mode & 0o777).toString(8)} ${digest}`;
    })
    .sort()
    .join('\n');
}

function shown(text) {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 150)}…${text.slice(-150)}` : text);
}
