import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { IconButton } from './button.tsx';

/** Copies a text; false where the browser forbids it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A button that copies a text and says for a moment that it did. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      icon={copied ? 'check' : 'copy'}
      label={copied ? t('copied') : label}
      onClick={() => void copyText(text).then(setCopied)}
    />
  );
}
