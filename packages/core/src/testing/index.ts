/**
 * For people who write a store, a format or a strategy of their own: the suites that ours pass, as
 * data for any test runner, and what it takes to write more tests. Nothing here runs by itself. A
 * store of outputs only runs `outputContract`.
 *
 *     for (const { name, run } of outputContract) test(name, () => run(async () => myStore()));
 *     for (const { name, run } of formatContract) test(name, () => run({ format, texts }));
 *     for (const { name, run } of strategyContract) test(name, () => run({ strategy }));
 */
import type { OutputStore } from '../model/store.ts';
import { abortingCases } from './stores/aborting.ts';
import { accountingCases } from './stores/accounting.ts';
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
import { retiredOutputCases } from './stores/retired-outputs.ts';
import { retiringCases } from './stores/retiring.ts';
import { sharingCases } from './stores/sharing.ts';
import { writingCases } from './stores/writing.ts';

export { type FormatCase, type FormatSubject, formatContract } from './formats/format-contract.ts';
export type { ContractCase, OpenStore } from './stores/contract-case.ts';
export type { SampleOutput, SamplePart } from './stores/samples.ts';
export { bytesOf, draft, piecesOf, projectionOf, storeOutput, textOf, writeParts } from './stores/samples.ts';
export { type StrategyCase, type StrategySubject, strategyContract } from './strategies/strategy-contract.ts';

/** What every store promises: outputs, kept exactly. */
export const outputContract: readonly ContractCase<OutputStore>[] = [
  ...exactnessCases,
  ...writingCases,
  ...checkpointCases,
  ...identityCases,
  ...projectionCases,
  ...listingCases,
  ...abortingCases,
];

/** What a store promises that keeps messages and summaries. */
export const historyContract: readonly ContractCase[] = messageCases;

/** What a store promises that keeps a ledger, knows sessions, and ends things. */
export const upkeepContract: readonly ContractCase[] = [
  ...accountingCases,
  ...sharingCases,
  ...ledgerCases,
  ...retiredOutputCases,
  ...retiringCases,
  ...limitCases,
  ...archivingCases,
];

/** Every promise of a store that has all three parts. */
export const storeContract: readonly ContractCase[] = [
  ...outputContract,
  ...historyContract,
  ...upkeepContract,
];
