/**
 * Why blocks of a result were kept. For that the output is projected again, so it comes after what
 * is quick; a large one waits for a click, says how far it is, and can be stopped.
 */
import { useState } from 'preact/hooks';
import type { Line, OutputAnswer } from '../../../../spillway/src/inspector/api.ts';
import { AT_ONCE_BYTES } from '../../components/working.tsx';
import { readReasons } from '../../data/api-client.ts';
import { useResource } from '../../data/resource.ts';

type ReasonsAnswer = Pick<Extract<Line<'GET /api/outputs/:id/reasons'>, { type: 'reasons' }>, 'parts'>;
export type KeptBlock = ReasonsAnswer['parts'][number]['blocks'][number];

export interface Reasons {
  readonly data: ReasonsAnswer | undefined;
  readonly problem: string | undefined;
  readonly isAsked: boolean;
  /** A share, while it is worked out. */
  readonly progress: number;
  readonly ask: () => void;
  readonly stop: () => void;
  /** Whether nothing more comes unless somebody asks for it. */
  readonly isSettled: boolean;
}

export function useReasons({ output, projection, is_preview }: OutputAnswer, isReady: boolean): Reasons {
  const [isAsked, setAsked] = useState(output.bytes <= AT_ONCE_BYTES);
  const [progress, setProgress] = useState(0);
  const isThere = projection?.cut === true && !is_preview;
  const { data, error } = useResource(
    isThere && isReady && isAsked ? `reasons ${output.id}` : undefined,
    async (signal) => {
      let reasons: ReasonsAnswer = { parts: [] };
      await readReasons(output.id, signal, (line) => {
        if (line.type === 'reasons') reasons = line;
        else setProgress(line.done / Math.max(1, line.of));
      });
      return reasons;
    },
  );
  return {
    data,
    problem: error?.message,
    isAsked,
    progress,
    ask: () => setAsked(true),
    stop: () => setAsked(false),
    isSettled: !isThere || !isAsked || data !== undefined || error !== undefined,
  };
}
