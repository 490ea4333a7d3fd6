import { type ReactElement, useEffect, useRef } from 'react';
import { t } from '../i18n/index.ts';

let typed = '';

/** Returns what was typed while the palette was being loaded. */
export function readPendingSearch(): string {
  return typed;
}

/** Forgets what was typed, so that the palette is empty when it is opened again. */
export function clearPendingSearch(): void {
  typed = '';
}

/**
 * Takes the keys while the palette is being loaded: a user who opens it by a key goes on typing, and the letters would
 * otherwise be lost or go into the message box.
 */
export function PendingSearchField({ onClose }: { readonly onClose: () => void }): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    typed = '';
    const before = document.activeElement;
    field.current?.focus();
    // The palette gives the focus back to the element that has it when it opens.
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <input
      ref={field}
      className="sr"
      aria-label={t('palette')}
      onChange={(event) => {
        typed = event.target.value;
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    />
  );
}
