// What the demo prints: titles, prose, commands and excerpts of texts, wrapped to the width of the
// terminal. An excerpt folds lines for the reader of the demo only, and says how many.
const width = Math.max(30, Math.min(process.stdout.columns ?? (Number(process.env.COLUMNS) || 80), 100));
const bold = (text) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
const faint = (text) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text);

export function title(text) {
  console.log(`\n${wrap(`── ${text}`, '', '   ').map(bold).join('\n')}`);
}

export function say(text) {
  console.log(wrap(text, '', '').join('\n'));
}

export function command(text) {
  console.log(`\n${wrap(`$ ${text}`, '  ', '    ').map(bold).join('\n')}\n`);
}

/** A text as it is. */
export function show(text) {
  for (const line of text.trimEnd().split('\n'))
    console.log(wrap(line.trimEnd(), '  ', '    ').join('\n').trimEnd());
}

/** The lines that `keeps(line, i, lines)` names; the others are counted. */
export function excerpt(text, keeps) {
  const lines = text.trimEnd().split('\n');
  const kept = lines.map(keeps);
  for (let i = 0; i < lines.length; ) {
    if (kept[i]) {
      show(lines[i++]);
      continue;
    }
    const next = kept.indexOf(true, i);
    const end = next < 0 ? lines.length : next;
    console.log(faint(`  ┊ ${count(end - i)} more ${end - i === 1 ? 'line' : 'lines'}`));
    i = end;
  }
}

/** Whether a line is among the `length` lines from the first one that `pattern` matches. */
export function within(pattern, length) {
  return (_, i, lines) => {
    const first = lines.findIndex((line) => pattern.test(line));
    return i >= first && i < first + length;
  };
}

export const count = (value) => value.toLocaleString('en-US');

/** Breaks at spaces where there are any. */
function wrap(text, first, others) {
  const lines = [];
  let rest = text;
  let indent = first;
  while (indent.length + rest.length > width) {
    const room = width - indent.length;
    const space = rest.lastIndexOf(' ', room);
    const at = space > room / 2 ? space : room;
    lines.push(indent + rest.slice(0, at));
    rest = rest.slice(at).replace(/^ /, '');
    indent = others;
  }
  return [...lines, indent + rest];
}
