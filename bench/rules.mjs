// Cuts that agents make by themselves, as their documentation or their binaries show them, and the
// plain ends. Each takes a text and the limit of the run; agents have limits of their own.
const between = (text, head, tail) =>
  text.length <= head + tail
    ? text
    : `${text.slice(0, head)}\n... [${text.length - head - tail} chars omitted] ...\n${text.slice(text.length - tail)}`;
/** Over a limit the start is shown, and a file with all of it is named. */
const preview = (limit, start) => (text) =>
  text.length <= limit ? text : `${text.slice(0, start)}\n(the rest is in a file of 80 chars of path)`;

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
};

/** Rules that name a place from which the rest can be read; of the others a command is run again. */
export const CAN_FETCH = new Set(['default', 'claude-code', 'gemini', 'copilot', 'pi-agent']);
