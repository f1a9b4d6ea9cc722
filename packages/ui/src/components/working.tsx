/** Work that takes seconds: asked for by a click, told how far it is, and stopped on demand. */
import { formatShare } from '../data/figures.ts';
import { Button } from './controls.tsx';

/** Beyond this, looking at an output again takes seconds, so a person asks for it. */
export const AT_ONCE_BYTES = 8_000_000;

export function Working({ progress, onStop }: { progress: number; onStop: () => void }) {
  return (
    <span class="working">
      <progress value={progress} aria-label="Working it out" /> {formatShare(progress, 1)}
      <Button onClick={onStop}>Stop</Button>
    </span>
  );
}

export function AskForWork({ onAsk }: { onAsk: () => void }) {
  return (
    <p class="hint">
      <Button onClick={onAsk}>Work it out</Button> It takes some seconds for an output this large.
    </p>
  );
}
