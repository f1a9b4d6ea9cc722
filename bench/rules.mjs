// Cuts that agents and filters make by themselves, as their documentation or their binaries show
// them, and the plain ends. Each takes a text, the limit of the run and, in replays, the kind of the
// result (`log`, `file`, `search`, …); agents and filters have limits of their own.
const between = (text, head, tail) =>
  text.length <= head + tail
    ? text
    : `${text.slice(0, head)}\n... [${text.length - head - tail} chars omitted] ...\n${text.slice(text.length - tail)}`;
/** Over a limit the start is shown, and a file with all of it is named. */
const preview = (limit, start) => (text) =>
  text.length <= limit ? text : `${text.slice(0, start)}\n(the rest is in a file of 80 chars of path)`;
/** Filters stand behind commands only: what an agent's own tools read or search passes whole. */
const ofCommands =
  (filter) =>
  (text, _limit, kind = 'log') =>
    kind === 'log' ? filter(text) : text;

export const RULES = {
  nothing: (text) => text,
  head: (text, limit) => text.slice(0, limit),
  tail: (text, limit) => text.slice(-limit),
  'head+tail': (text, limit) => between(text, Math.floor(limit * 0.6), Math.floor(limit * 0.4) - 40),
  'claude-code': preview(30_000, 2_000),
  codex: (text) => between(text, 20_000, 20_000),
  gemini: (text) => (text.length <= 40_000 ? text : between(text, 8_000, 32_000)),
  copilot: preview(20_000, 500),
  'pi-agent': (text) => text.slice(-51_200),
  rtk: ofCommands(rtkErrors),
  tokf: ofCommands(tokfErrors),
};

/** Rules that name a place from which the rest can be read; of the others a command is run again. */
export const CAN_FETCH = new Set(['default', 'claude-code', 'gemini', 'copilot', 'pi-agent', 'rtk', 'tokf']);

const RTK_LINE =
  /error[\s:[]|\berr\b|warning[\s:[]|\bwarn\b|failed|failure|exception|panic|^\s*--> .*:\d+:\d+$|^Traceback|^\s*File ".*", line \d+|^\s*at .*:\d+:\d+|\.go:\d+:/i;

/**
 * `rtk err`, rtk 0.29, its rule for a command that has no filter of its own: lines that speak of an
 * error or a warning, with the indented lines below them up to the second blank one. If there is
 * none, the last ten lines. A file with the whole output of a failed command is named.
 */
function rtkErrors(text) {
  const lines = text.split('\n');
  const kept = [];
  let isInside = false;
  let blank = 0;
  for (const line of lines) {
    if (RTK_LINE.test(line)) {
      isInside = true;
      blank = 0;
    } else if (isInside && line.trim() === '') isInside = ++blank < 2;
    else isInside &&= /^[ \t]/.test(line);
    if (isInside) kept.push(line);
  }
  const shown = kept.length > 0 ? kept : lines.slice(-10);
  return `${shown.join('\n')}\n[full output: ~/.local/share/rtk/tee/1707753600_command.log]`;
}

const TOKF_LINE =
  /^(?:error|warning)[[:\s]|\b(?:error|warning)\b.*:|^(?:fatal|failed|\w+Error|\w+Exception):|^(?:npm )?ERR!|FAILED|^thread '.*' panicked|Traceback \(most recent|^\s+File "|^\s*\|?\s*\^+\s*$/i;
const TOKF_CONTEXT = 3;
const TOKF_SHORT = 10;

/**
 * `tokf err`, tokf 0.2.39: lines that match its documented patterns with three lines on either side.
 * Fewer than ten lines, and a failed command without a match, pass whole. `tokf raw` has the rest.
 */
function tokfErrors(text) {
  const lines = text.split('\n');
  const matches = lines.flatMap((line, i) => (TOKF_LINE.test(line) ? [i] : []));
  if (lines.length < TOKF_SHORT || matches.length === 0) return text;
  const shown = new Set(
    matches.flatMap((at) => Array.from({ length: 2 * TOKF_CONTEXT + 1 }, (_, i) => at - TOKF_CONTEXT + i)),
  );
  return lines.filter((_, i) => shown.has(i)).join('\n');
}
