/**
 * Shares one budget over several parts by need: small ones are shown whole, the rest share what is
 * left evenly. One part may be preferred (stderr of a command): it gets up to 60 % when it needs
 * that much. Invariant: the shares never add up to more than the budget, and no part gets more
 * than it needs; an unlimited budget gives each its limit.
 */
const PREFERRED_SHARE = 0.6;

export interface Need {
  readonly size: number;
  /** The maximum for this part. */
  readonly limit: number;
  readonly preferred: boolean;
}

export function allocate(budget: number, needs: readonly Need[]): number[] {
  if (budget === Number.POSITIVE_INFINITY) return needs.map((need) => need.limit);
  const wanted = needs.map(({ size, limit }) => Math.min(size, limit));
  const shares = needs.map(() => 0);
  let left = budget;
  const offer = (part: number, offered: number) => {
    const taken = Math.min((wanted[part] as number) - (shares[part] as number), offered);
    shares[part] = (shares[part] as number) + taken;
    left -= taken;
  };
  const preferred = needs.findIndex((need) => need.preferred);
  if (preferred >= 0) offer(preferred, Math.floor(budget * PREFERRED_SHARE));
  // Smallest first: what they leave goes to the others.
  const others = [...needs.keys()].filter((part) => part !== preferred);
  others.sort((a, b) => (wanted[a] as number) - (wanted[b] as number));
  for (const [i, part] of others.entries()) offer(part, Math.floor(left / (others.length - i)));
  if (preferred >= 0) offer(preferred, left);
  return shares;
}
