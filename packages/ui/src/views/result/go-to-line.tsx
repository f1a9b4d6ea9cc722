/** Asks for a line and goes there. */
import type { PartRow } from '../../../../spillway/src/inspector/api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { formatCount } from '../../data/figures.ts';
import { rowOfChar } from '../../log/row-list.ts';

interface GoToLineProps {
  readonly part: PartRow;
  readonly onGo: (line: number) => void;
  readonly onClose: () => void;
}

export function GoToLine({ part: { by, lines, chars }, onGo, onClose }: GoToLineProps) {
  const [word, most] = by === 'chars' ? (['char', chars] as const) : (['line', lines] as const);
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const line = Number(new FormData(event.currentTarget).get('line'));
    onClose();
    const row = by === 'chars' ? rowOfChar(line) : Math.floor(line);
    if (row >= 1) onGo(Math.min(lines, row));
  };
  return (
    <Dialog title={`Go to a ${word}`} onClose={onClose}>
      <form onSubmit={submit} class="inline-form">
        <label class="inline">
          {word === 'char' ? 'Char' : 'Line'}, 1 to {formatCount(most)}{' '}
          <input class="input" name="line" type="number" min={1} max={most} required />
        </label>
        <button type="submit" class="btn pri">
          Go
        </button>
      </form>
    </Dialog>
  );
}
