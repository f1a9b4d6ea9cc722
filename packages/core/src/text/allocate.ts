/**
 * Shares one budget over several parts by need: small ones are shown whole, the rest share what is left evenly. One part may be
 * preferred (stderr of a command): it gets up to 60 % when it needs that much. Invariant: the shares never add up to more than
 * the budget, and nobody gets more than it needs; an unlimited budget is unlimited for everybody.
 */
const PREFERRED_SHARE = 0.6;

export interface Need {
  readonly size: number;
  /** The most this part may get, whatever is left. */
  readonly limit: number;
  readonly preferred: boolean;
}

export function allocate(budget: number, needs: readonly Need[]): number[] {
  if (budget === Number.POSITIVE_INFINITY) return needs.map((need) => need.limit);
  const shares = needs.map(() => 0);
  let left = budget;
  const preferred = needs.findIndex((need) => need.preferred);
  const reserved = needs[preferred];
  if (reserved !== undefined) {
    const share = Math.min(wanted(reserved), Math.floor(budget * PREFERRED_SHARE));
    shares[preferred] = share;
    left -= share;
  }
  left -= fill(needs, shares, left, (index) => index !== preferred);
  fill(needs, shares, left, (index) => index === preferred);
  return shares;
}

/** Water-filling over the chosen parts; returns what was given out. */
function fill(
  needs: readonly Need[],
  shares: number[],
  budget: number,
  chosen: (index: number) => boolean,
): number {
  const order = needs
    .map((need, index) => ({ index, open: wanted(need) - (shares[index] ?? 0) }))
    .filter(({ index }) => chosen(index))
    .sort((a, b) => a.open - b.open);
  let left = budget;
  order.forEach(({ index, open }, place) => {
    const share = Math.min(open, Math.floor(left / (order.length - place)));
    shares[index] = (shares[index] ?? 0) + share;
    left -= share;
  });
  return budget - left;
}

function wanted(need: Need): number {
  return Math.min(need.size, need.limit);
}
