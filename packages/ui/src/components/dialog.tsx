/** A modal dialog: the browser's own, so that focus, Escape and the inert background are its work. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
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
        <button type="button" class="ib" aria-label="Close" onClick={() => element.current?.close()}>
          <Icon of={CloseIcon} size="l" />
        </button>
      </div>
      <div class="dialog-body">{children}</div>
      {foot && (
        <div class="dialog-foot">
          <button type="button" class="btn" onClick={() => element.current?.close()}>
            Cancel
          </button>
          {foot}
        </div>
      )}
    </dialog>
  );
}
