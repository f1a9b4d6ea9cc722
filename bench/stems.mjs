// The stems that lines are looked for in, as one pattern for grep: what both then look for is the
// same. Taken from the built core, past its doors: nobody else needs them.
const built = new URL('../packages/core/dist/vocabulary/', import.meta.url);
const { CUES, DAMPERS } = await import(new URL('cues.js', built));
const { PACKS } = await import(new URL('packs.js', built));

export function stemPattern() {
  const added = ({ name }) => PACKS.flatMap(({ cues }) => [cues[name] ?? []].flat());
  const stems = [
    ...CUES.flatMap((cue) => [cue, ...added(cue)].flatMap((each) => each.stems)),
    ...DAMPERS.flatMap((damper) => damper.stems ?? []),
  ];
  return [...new Set(stems.map(asPattern))].join('|');
}

/** A stem that begins with LF stands at the beginning of a line; 0 is any digit. */
function asPattern(stem) {
  const text = stem.replace(/^\n/, '').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return `${stem.startsWith('\n') ? '^' : ''}${text.replaceAll('0', '[0-9]')}`;
}
