/** A modal dialog: the browser's own, so that focus, Escape and the inert background are its work. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, IconButton } from './controls.tsx';
import { CloseIcon } from './icons.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}

export function Dialog({ title, onClose, children, foot }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea)')?.focus();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <IconButton icon={CloseIcon} label="Close" onClick={() => element.current?.close()} />
      </div>
      <div class="dialog-body">{children}</div>
      {foot && (
        <div class="dialog-foot">
          <Button onClick={() => element.current?.close()}>Cancel</Button>
          {foot}
        </div>
      )}
    </dialog>
  );
}
