/** Source code: what the lines look like, or a hint where they leave it open. */
import type { Detected } from '../../model/content.ts';
import type { Evidence } from '../../model/format.ts';
import type { TextSample } from '../../model/text-sample.ts';

export function recogniseCode(_sample: TextSample, evidence: Evidence): Detected | null {
  const { expected, hasCodeLines, written, holdsJson } = evidence;
  const hint = expected.find(({ kind }) => kind === 'code');
  const found = hint !== undefined && hasCodeLines ? hint : written;
  return found.kind === 'code' && !holdsJson ? found : null;
}
