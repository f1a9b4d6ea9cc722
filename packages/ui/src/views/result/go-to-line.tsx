/** Asks for a line and goes there. */
import { Dialog } from '../../components/dialog.tsx';
import { formatCount } from '../../data/figures.ts';

interface GoToLineProps {
  readonly lines: number;
  readonly onGo: (line: number) => void;
  readonly onClose: () => void;
}

export function GoToLine({ lines, onGo, onClose }: GoToLineProps) {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const line = Number(new FormData(event.currentTarget).get('line'));
    onClose();
    if (line >= 1) onGo(Math.min(lines, Math.floor(line)));
  };
  return (
    <Dialog title="Go to a line" onClose={onClose}>
      <form onSubmit={submit} class="inline-form">
        <label class="inline">
          Line, 1 to {formatCount(lines)}{' '}
          <input class="input" name="line" type="number" min={1} max={lines} required />
        </label>
        <button type="submit" class="btn pri">
          Go
        </button>
      </form>
    </Dialog>
  );
}
