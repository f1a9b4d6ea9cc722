/**
 * Whether a result is certain to be shown as it is: the same rules as the projection's, decided
 * without making one.
 */
import type { Policy } from '@spillway/core';
import { repeats } from './repeats.ts';
import type { ResultScan } from './result-scan.ts';
import type { ScanStep } from './scan-steps.ts';

export function staysAsItIs(scan: ResultScan, steps: readonly ScanStep[], policy: Policy): boolean {
  if (policy.clean === 'always') return false;
  if (policy.maxLines !== null || policy.maxTokens !== null || policy.perPartLimit !== null) return false;
  if (scan.blocks.some((block) => block.kind === 'other' && block.json === null)) return false;
  const shown = charsOf(scan, steps);
  if (shown === null) return false;
  const limit = policy.strategy === 'none' ? Number.POSITIVE_INFINITY : policy.inlineLimit;
  if (shown.texts > limit || shown.structured > limit) return false;
  return (
    shown.texts + shown.structured <= limit ||
    (scan.structured !== null && repeats(scan.texts, scan.structured.sample))
  );
}

/** Null if something in it cannot be shown as it is. */
function charsOf(
  scan: ResultScan,
  steps: readonly ScanStep[],
): { readonly texts: number; readonly structured: number } | null {
  const others = new Set(scan.blocks.flatMap(({ kind, part }) => (kind === 'other' ? [part] : [])));
  let texts = 0;
  let structured = 0;
  for (const step of steps) {
    if (step.step !== 'write' || step.part < 0 || others.has(step.part)) continue;
    const text = Buffer.from(step.bytes.buffer, step.bytes.byteOffset, step.bytes.length).toString('utf8');
    if (text.includes('\uFFFD')) return null;
    if (step.part === scan.structured?.part) structured += text.length;
    else texts += text.length;
  }
  return { texts, structured };
}
