import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button, IconButton } from './button.tsx';

/** Copies a text; false if the browser forbids it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
}

/** The legacy method, for a page over plain HTTP from another machine, which has no clipboard API. */
function copyWithSelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr';
  // Next to the focused element: outside of an open dialog nothing can be selected.
  (before?.closest('dialog') ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  /** Whether the button shows its label as text. */
  readonly isText?: boolean;
}

/** A button that copies a text and confirms it for a moment. */
export function CopyButton({ text, label, isText = false }: CopyButtonProps): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const shown = { icon: copied ? 'check' : 'copy', label: copied ? t('copied') : label } as const;
  const copy = () => void copyText(text).then(setCopied);
  return isText ? (
    <Button small look="quiet" icon={shown.icon} onClick={copy}>
      {shown.label}
    </Button>
  ) : (
    <IconButton {...shown} onClick={copy} />
  );
}
