/**
 * Work that takes seconds for a large output: it is asked for by a click, tells how far it is, and
 * is stopped on demand. What is small is done at once.
 */
import { useState } from 'preact/hooks';
import type { Progress } from '../../../spillway/src/inspector/api.ts';
import { formatShare } from '../data/figures.ts';
import { useResource } from '../data/resource.ts';
import { Button } from './controls.tsx';

/** Beyond this, looking at an output again takes seconds. */
export const AT_ONCE_BYTES = 8_000_000;

export interface Work<L> {
  /** All lines of the answer but the progress, once it is complete. */
  readonly data: readonly Exclude<L, Progress>[] | undefined;
  readonly problem: string | undefined;
  /** A share, while it is worked out. */
  readonly progress: number | undefined;
  readonly isAsked: boolean;
  readonly ask: () => void;
  readonly stop: () => void;
}

/** Reads an answer line by line when `key` changes; with `undefined` it reads nothing. */
export function useWork<L extends { readonly type: string }>(
  key: string | undefined,
  isSmall: boolean,
  read: (signal: AbortSignal, onLine: (line: L) => void) => Promise<void>,
): Work<L> {
  const [choice, setChoice] = useState<{ key: string | undefined; isAsked: boolean } | undefined>(undefined);
  const [progress, setProgress] = useState(0);
  // A choice that came before the key holds for the first one.
  const isAsked = choice && (choice.key ?? key) === key ? choice.isAsked : isSmall;
  const { data, error, isLoading } = useResource(isAsked ? key : undefined, async (signal) => {
    const lines: Exclude<L, Progress>[] = [];
    setProgress(0);
    await read(signal, (line) => {
      if (isProgress(line)) setProgress(line.done / Math.max(1, line.of));
      else lines.push(line as Exclude<L, Progress>);
    });
    return lines;
  });
  return {
    data,
    problem: error?.message,
    progress: isLoading ? progress : undefined,
    isAsked,
    ask: () => setChoice({ key, isAsked: true }),
    stop: () => setChoice({ key, isAsked: false }),
  };
}

function isProgress(line: { readonly type: string }): line is Progress {
  return line.type === 'progress';
}

/** What is wrong with it, the question whether to begin, or how far it is. */
export function WorkState({ work }: { work: Work<unknown> }) {
  if (work.problem) return <p class="hint">{work.problem}</p>;
  if (!work.isAsked)
    return (
      <p class="hint">
        <Button onClick={work.ask}>Calculate</Button> The output is large, so this takes a few seconds.
      </p>
    );
  return work.progress === undefined ? null : <Working progress={work.progress} onStop={work.stop} />;
}

export function Working({ progress, onStop }: { progress: number; onStop: () => void }) {
  return (
    <span class="line small">
      <progress value={progress} aria-label="Calculating" /> {formatShare(progress, 1)}
      <Button onClick={onStop}>Stop</Button>
    </span>
  );
}
