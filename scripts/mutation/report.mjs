// What a run came to, as .cache/mutation.md: counts by file, and every mutant that survives under the
// reason why that is right (argued.json). A survivor is known by its file, the text of its line and
// the change, so that it stays known when lines move; any other is open.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Adds to each mutant how it ended: killed, argued (with the reason) or open. */
export function judged(mutants, verdictOf, sources) {
  const arguments_ = JSON.parse(readFileSync(new URL('argued.json', import.meta.url), 'utf8'));
  const lines = new Map();
  return mutants.map((mutant) => {
    const file = relative(sources, mutant.file);
    if (!lines.has(file)) lines.set(file, readFileSync(mutant.file, 'utf8').split('\n'));
    const line = lines.get(file)[mutant.line - 1].trim();
    const verdict = verdictOf(mutant);
    const reason = Object.keys(arguments_).find((name) =>
      arguments_[name].survivors[file]?.[line]?.includes(mutant.what),
    );
    const end = verdict === undefined || verdict.killer !== null ? 'killed' : reason ? 'argued' : 'open';
    return { ...mutant, file, text: line, end, reason: reason ?? null, why: arguments_[reason]?.why };
  });
}

export function page(all, { minutes, node }) {
  const files = [...new Set(all.map(({ file }) => file))];
  const rows = files.map((file) =>
    row(
      `\`${file}\``,
      all.filter((mutant) => mutant.file === file),
    ),
  );
  const groups = Object.entries(GROUPS).map(([name, pattern]) =>
    row(
      `**${name}**`,
      all.filter(({ file }) => pattern.test(file)),
    ),
  );
  const open = all.filter(({ end }) => end === 'open');
  return `# Mutation testing

\`npm run mutate\` makes one small wrong change after another to the sources of \`packages/core\` and runs the tests that enter the changed function: operators and comparisons
swapped, boundaries moved by one, conditions negated, \`min\` and \`max\`, \`floor\` and \`ceil\`, \`some\` and \`every\` exchanged, numbers changed by one, texts of markers and notices
emptied, statements removed. A change that no test notices *survives*: then a test is missing, the code says more than it does, or the change makes no difference. Survivors of the
last kind are named below with the reason; \`scripts/mutation/argued.json\` is the list, and any survivor that is not in it makes the run fail.

- ${new Date().toISOString().slice(0, 10)}, Node ${node}, ${minutes.toFixed(0)} minutes on one core (\`SPILLWAY_MUTATE_JOBS=1 npm run mutate\`)
- \`npm run mutate -- text/cut.ts\` runs some files, \`--survivors\` what survived the last run; only a full run writes this page

| | mutants | killed | survived, argued | open | killed |
|---|---|---|---|---|---|
${groups.join('\n')}
${row('**all**', all)}

## By file

| file | mutants | killed | survived, argued | open | killed |
|---|---|---|---|---|---|
${rows.join('\n')}

${open.length === 0 ? '' : `## Open\n\n${listed(open)}\n\n`}## What survives, and why that is right

${reasons(all)}
`;
}

/** What SPEC and the tests speak of. */
const GROUPS = {
  arithmetic: /^(text|strategies)\/|^projection\/(fit|price|omissions|section|gathering|views)\.ts$/,
  markers: /^projection\/(dialects\/|parse\.ts)/,
  'policy merge': /^policy\//,
};

function row(name, mutants) {
  const count = (end) => mutants.filter((mutant) => mutant.end === end).length;
  const killed = count('killed');
  const share = mutants.length === 0 ? 100 : (100 * killed) / mutants.length;
  return `| ${name} | ${mutants.length} | ${killed} | ${count('argued')} | ${count('open')} | ${share.toFixed(1)} % |`;
}

function reasons(all) {
  const argued = all.filter(({ end }) => end === 'argued');
  return [...new Set(argued.map(({ reason }) => reason))]
    .map((reason) => {
      const own = argued.filter((mutant) => mutant.reason === reason);
      return `### ${reason} (${own.length})\n\n${own[0].why}\n\n${listed(own)}`;
    })
    .join('\n\n');
}

/** One line of code an entry, with the changes that survive on it. */
function listed(mutants) {
  const byLine = Map.groupBy(mutants, ({ file, text }) => `\`${file}\`: ${code(text)}`);
  return [...byLine]
    .map(([line, own]) => `- ${line} — ${own.map(({ what }) => code(what)).join(', ')}`)
    .join('\n');
}

function code(text) {
  const fence = text.includes('`') ? '``' : '`';
  const padding = text.includes('`') ? ' ' : '';
  return `${fence}${padding}${text}${padding}${fence}`;
}
