import { type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react';
import { t } from '../i18n/index.ts';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
  /** Hides the visible title, if the content is clear without it. */
  readonly bare?: boolean;
}

/**
 * A modal dialog with the browser's own element: it traps the focus, makes the rest inert, closes on Escape, and
 * needs no style element, which the page's policy forbids.
 */
export function Dialog({ title, onClose, children, className, bare = false }: DialogProps): ReactElement {
  const ref = useRef<HTMLDialogElement>(null);
  const closing = useRef(onClose);
  closing.current = onClose;
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    const before = document.activeElement;
    // A click on the dialog element itself is on the backdrop.
    const pressed = (event: MouseEvent) => {
      if (event.target === dialog) closing.current();
    };
    const cancelled = (event: Event) => {
      event.preventDefault();
      closing.current();
    };
    dialog.addEventListener('mousedown', pressed);
    dialog.addEventListener('cancel', cancelled);
    if (!dialog.open) dialog.showModal();
    // The initial focus is on a choice or a field, not on the close button.
    const first = dialog.querySelector<HTMLElement>('input[type="radio"]:checked, [data-first]');
    (first ?? dialog.querySelector<HTMLElement>('textarea, input:not([type], [hidden], [readonly])'))?.focus();
    return () => {
      dialog.removeEventListener('mousedown', pressed);
      dialog.removeEventListener('cancel', cancelled);
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={ref} className={`dialog ${className ?? ''}`} aria-labelledby={id}>
      <div className="dialog-in">
        <header className={bare ? 'sr' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {bare ? null : <IconButton icon="x" label={t('close')} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}
