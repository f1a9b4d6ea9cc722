// The score of one cut: whether all that a reader needs of an output is still shown, within the
// limit. Colours and carriage returns make no difference; every other char does.
const FORMATTING = new RegExp(
  [`\\u001b\\[[0-?]*[ -/]*[@-~]`, `\\u001b\\][^\\u0007]*\\u0007`, `\\r(?=\\n)`].join('|'),
  'g',
);

/** `fixture`: `{ needs, format? }`. `limit` in UTF-16 units, as `string.length` counts them. */
export function scoreOf(shown, { needs, format }, limit) {
  const plain = shown.replace(FORMATTING, '');
  const within = shown.length <= limit;
  const lost = needs.filter((need) => !plain.includes(need));
  return {
    kept: within && lost.length === 0,
    needs_kept: within ? needs.length - lost.length : 0,
    needs: needs.length,
    lost,
    chars: shown.length,
    within,
    ...(format === 'json' ? { parses: parses(shown) } : {}),
  };
}

/** What a set of scores comes to. Shares are from 0 to 1. */
export function totalOf(scores) {
  const sum = (of) => scores.reduce((all, score) => all + Number(of(score)), 0);
  return {
    fixtures: scores.length,
    kept: sum(({ kept }) => kept) / scores.length,
    needs_kept: sum(({ needs_kept }) => needs_kept) / sum(({ needs }) => needs),
    chars: Math.round(sum(({ chars }) => chars) / scores.length),
    over_limit: sum(({ within }) => !within),
  };
}

function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
