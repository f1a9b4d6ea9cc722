/** One promise of the store contract: a sentence, and the code that fails when it is broken. */
import type { Store, StoreLimits } from '../../model/store.ts';

/** Opens a new, empty store. Whoever runs the case closes it. */
export type OpenStore = (options?: { readonly limits?: StoreLimits }) => Promise<Store>;

/** A sentence and the check behind it; `run` rejects where a store does not keep the promise. */
export interface ContractCase {
  readonly name: string;
  run(open: OpenStore): Promise<void>;
}
