import { messageKit } from '@coppice/content';
import { textMessage } from '@coppice/core';
import { type ReactElement, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { openDialog } from '../state/ui.ts';
import { useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';

// The number of characters; a longer prompt is folded until the user opens it.
const shownAtFirst = 280;

/** The system prompt as the first row of the thread; hidden if the chat has none and is not empty. */
export function SystemPromptRow(): ReactElement | null {
  const prompt = useTree((state) => state.part?.tree.systemPrompt ?? '');
  const preset = useTree((state) => state.part?.tree.metadata.preset);
  const empty = useTree((state) => state.part !== null && state.part.leaf === null);
  const [whole, setWhole] = useState(false);
  if (prompt === '' && !empty) return null;
  const isLong = prompt.length > shownAtFirst;
  const shown = whole || !isLong ? prompt : `${prompt.slice(0, shownAtFirst).trimEnd()}…`;
  return (
    <section className="prompt-row" aria-label={t('systemPrompt')}>
      <header>
        <b>{t('systemPrompt')}</b>
        {typeof preset === 'string' && prompt !== '' ? (
          <span className="chip">{t('presetIs', { name: preset })}</span>
        ) : null}
        <span className="grow" />
        {prompt === '' ? null : (
          <span className="dim num">{tn('tokens', messageKit.tokens(textMessage('system', prompt)))}</span>
        )}
        <Button small look="quiet" icon="edit" onClick={() => openDialog({ name: 'prompt' })}>
          {t('edit')}
        </Button>
      </header>
      {prompt === '' ? null : (
        <p className="as-is" dir="auto">
          {shown}
        </p>
      )}
      {isLong ? (
        <Button small look="quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {t(whole ? 'fold' : 'showMore')}
        </Button>
      ) : null}
    </section>
  );
}
