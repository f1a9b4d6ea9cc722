/** One promise of the store contract: a sentence, and the code that fails when it is broken. */
import type { OutputStore, Store, StoreLimits } from '../../model/store.ts';

/** Opens a new, empty store. Whoever runs the case closes it. */
export type OpenStore<Kind extends OutputStore = Store> = (options?: {
  readonly limits?: StoreLimits;
}) => Promise<Kind>;

/** A sentence and the check behind it; `run` rejects where a store does not keep the promise. */
export interface ContractCase<Kind extends OutputStore = Store> {
  /** What is promised. */
  readonly name: string;
  /** Checks it in stores that `open` makes. */
  run(open: OpenStore<Kind>): Promise<void>;
}

/** Checks by their sentences; each is given a new, empty store. */
export type Checks<Kind extends OutputStore = Store> = Readonly<
  Record<string, (store: Kind) => Promise<void>>
>;

export function contract<Kind extends OutputStore = Store>(
  checks: Checks<Kind>,
  options?: { readonly limits?: StoreLimits },
): readonly ContractCase<Kind>[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async (open) => check(await open(options)),
  }));
}
