/**
 * For people who write a store of their own: the suite every store passes, as data for any test runner, and what it takes to write
 * more tests. Nothing here runs by itself.
 *
 *     for (const { name, run } of storeContract) test(name, () => run(async (options) => myStore(options)));
 */
import { archivingCases } from './stores/archiving.ts';
import { checkpointCases } from './stores/checkpoints.ts';
import type { ContractCase } from './stores/contract-case.ts';
import { exactnessCases } from './stores/exactness.ts';
import { identityCases } from './stores/identity.ts';
import { ledgerCases } from './stores/ledger.ts';
import { limitCases } from './stores/limits.ts';
import { listingCases } from './stores/listing.ts';
import { messageCases } from './stores/messages.ts';
import { projectionCases } from './stores/projections.ts';
import { retiringCases } from './stores/retiring.ts';
import { sharingCases } from './stores/sharing.ts';
import { writingCases } from './stores/writing.ts';

export type { ContractCase, OpenStore } from './stores/contract-case.ts';
export type { SampleOutput, SamplePart } from './stores/samples.ts';
export { bytesOf, draft, piecesOf, projectionOf, storeOutput, textOf, writeParts } from './stores/samples.ts';

/** Every promise of the store contract, to be run on any store. */
export const storeContract: readonly ContractCase[] = [
  ...exactnessCases,
  ...writingCases,
  ...checkpointCases,
  ...sharingCases,
  ...identityCases,
  ...projectionCases,
  ...listingCases,
  ...ledgerCases,
  ...messageCases,
  ...retiringCases,
  ...limitCases,
  ...archivingCases,
];
