/**
 * For people who write a store, a format, a strategy or a shape of their own: the suites that ours
 * pass, as data for any test runner, and what it takes to write more tests. Nothing here runs by
 * itself. A store of outputs only runs `outputContract`.
 *
 *     for (const { name, run } of outputContract) test(name, () => run(async () => myStore()));
 *     for (const { name, run } of formatContract) test(name, () => run({ format, texts }));
 *     for (const { name, run } of strategyContract) test(name, () => run({ strategy }));
 *     for (const { name, run } of shapeContract) test(name, () => run({ shape, messages }));
 */
import type { OutputStore } from '../model/store.ts';
import { contentChecks } from './stores/content.ts';
import { ledgerChecks } from './stores/ledger.ts';
import { listingChecks } from './stores/listing.ts';
import { messageChecks } from './stores/messages.ts';
import { limitChecks, retiringChecks } from './stores/retiring.ts';
import { type ContractCase, contract } from './stores/samples.ts';
import { writingChecks } from './stores/writing.ts';

export type { ContractCheck } from './cases.ts';
export { type FormatCase, type FormatSubject, formatContract } from './formats/format-contract.ts';
export { type ShapeCase, type ShapeSubject, shapeContract } from './shapes/shape-contract.ts';
export type { ContractCase, OpenStore, SampleOutput, SamplePart } from './stores/samples.ts';
export { bytesOf, draft, piecesOf, projectionOf, storeOutput, textOf, writeParts } from './stores/samples.ts';
export { type StrategyCase, type StrategySubject, strategyContract } from './strategies/strategy-contract.ts';

/** What every store promises: outputs, kept exactly. */
export const outputContract: readonly ContractCase<OutputStore>[] = contract({
  ...contentChecks,
  ...writingChecks,
  ...listingChecks,
});

/** What a store promises that keeps messages and summaries. */
export const historyContract: readonly ContractCase[] = contract(messageChecks);

/** What a store promises that keeps a ledger, knows sessions, and ends things. */
export const upkeepContract: readonly ContractCase[] = [
  ...contract({ ...ledgerChecks, ...retiringChecks }),
  ...contract(limitChecks, { limits: { maxBytes: 100_000 } }),
];

/** Every promise of a store that has all three parts. */
export const storeContract: readonly ContractCase[] = [
  ...outputContract,
  ...historyContract,
  ...upkeepContract,
];
