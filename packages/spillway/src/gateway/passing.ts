/**
 * Whether a result is certain to be shown as it is: the same rules as the projection's, decided
 * without making one.
 */
import type { Policy } from '@spillway/core';
import { repeats } from './repeats.ts';
import type { ResultScan } from './result-scan.ts';
import type { ScanStep } from './scan-steps.ts';

/** `isRead`: whether a model reads structured content too. */
export function staysAsItIs(
  scan: ResultScan,
  steps: readonly ScanStep[],
  policy: Policy,
  isRead: boolean,
): boolean {
  if (policy.clean === 'always') return false;
  if (policy.maxLines !== null || policy.maxTokens !== null || policy.perPartLimit !== null) return false;
  if (scan.blocks.some((block) => block.kind === 'other' && block.json === null)) return false;
  return !charsOf(scan, steps).illFormed && !isOver(scan, steps, policy, isRead);
}

/** Whether it has more chars than its limit allows. */
export function isOver(
  scan: ResultScan,
  steps: readonly ScanStep[],
  { strategy, inlineLimit: limit }: Policy,
  isRead: boolean,
): boolean {
  const { texts, structured } = charsOf(scan, steps);
  if (strategy === 'none') return false;
  if (texts > limit) return true;
  if (!isRead || texts + structured <= limit) return false;
  return structured > limit || scan.structured === null || !repeats(scan.texts, scan.structured.sample);
}

function charsOf(
  scan: ResultScan,
  steps: readonly ScanStep[],
): { readonly texts: number; readonly structured: number; readonly illFormed: boolean } {
  const others = new Set(scan.blocks.flatMap(({ kind, part }) => (kind === 'other' ? [part] : [])));
  let texts = 0;
  let structured = 0;
  let illFormed = false;
  for (const step of steps) {
    if (step.step !== 'write' || step.part < 0 || others.has(step.part)) continue;
    const text = Buffer.from(step.bytes.buffer, step.bytes.byteOffset, step.bytes.length).toString('utf8');
    if (text.includes('\uFFFD')) illFormed = true;
    if (step.part === scan.structured?.part) structured += text.length;
    else texts += text.length;
  }
  return { texts, structured, illFormed };
}
