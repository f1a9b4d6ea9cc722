/** Lines that tell of errors and warnings, of every part that a model is shown. */
import type { FindingsAnswer, PartRow } from '../../../../spillway/src/inspector/api.ts';
import { get } from '../../data/api-client.ts';
import { type Resource, useResource } from '../../data/resource.ts';

/** Outputs of many parts: their first ones tell enough. */
const PARTS = 6;

export function useFindings(
  id: string,
  parts: readonly PartRow[],
  isWanted = true,
): Resource<readonly FindingsAnswer[]> {
  const indexes = parts
    .filter(({ is_shown, kind, lines }) => is_shown && kind !== 'binary' && lines > 0)
    .map(({ index }) => index)
    .slice(0, PARTS);
  const path = `/api/outputs/${encodeURIComponent(id)}/findings`;
  return useResource(isWanted ? `findings ${id} ${indexes}` : undefined, (signal) =>
    Promise.all(indexes.map((part) => get<FindingsAnswer>(path, { part }, signal))),
  );
}
