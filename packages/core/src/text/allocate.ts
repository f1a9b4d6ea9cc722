/**
 * Shares one budget over several parts by need: small ones are shown whole, the rest share what is
 * left evenly. One part may be preferred (stderr of a command): it gets up to 60 % when it needs
 * that much. Invariant: the shares never add up to more than the budget, and nobody gets more than
 * it needs; an unlimited budget is unlimited for everybody.
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
  const claims = needs.map(({ size, limit, preferred }) => new Claim(Math.min(size, limit), preferred));
  const preferred = claims.find((claim) => claim.preferred);
  let left = budget - (preferred?.take(Math.floor(budget * PREFERRED_SHARE)) ?? 0);
  // Water-filling: the smallest first, so that what they leave goes to the others.
  const others = claims.filter((claim) => claim !== preferred).sort((a, b) => a.open - b.open);
  others.forEach((claim, i) => {
    left -= claim.take(Math.floor(left / (others.length - i)));
  });
  preferred?.take(left);
  return claims.map((claim) => claim.share);
}

/** What one part has got, and what it could still use. */
class Claim {
  readonly preferred: boolean;
  open: number;
  share = 0;

  constructor(wanted: number, preferred: boolean) {
    this.open = wanted;
    this.preferred = preferred;
  }

  /** Takes as much as it can use of what is offered; returns that. */
  take(offered: number): number {
    const taken = Math.min(this.open, offered);
    this.open -= taken;
    this.share += taken;
    return taken;
  }
}
