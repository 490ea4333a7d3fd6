import { isText, type Message, type Node, textMessage } from '@coppice/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { edit } from '../state/acts.ts';
import { reply } from '../state/generation.ts';
import { modelsNow, useLists } from '../state/lists.ts';
import { useUi } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { plainText } from './rows.ts';
import { wishNow } from './wish.ts';

/** A message's blocks with other text: the first text block takes it, further ones go, everything else stays in place. */
export function withNewText(message: Message, text: string): Message['content'] {
  const fresh = textMessage(message.role, text).content;
  const at = message.content.findIndex(isText);
  if (at < 0) return [...fresh, ...message.content];
  return message.content.flatMap((block, index) => (index === at ? fresh : isText(block) ? [] : [block]));
}

/** A message that is being rewritten: as a new stem, or saved in its place. */
export function EditBox({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const [text, setText] = useState(() => plainText(node.message));
  // What the writer has seen: others may write while this box is open.
  const [seen] = useState(() => ({ node, version: session.version }));
  const [busy, setBusy] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const close = () => useUi.setState({ editing: null });
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const save = async (mode: 'branch' | 'in-place') => {
    if (node.message === null || text.trim() === '' || busy) return;
    setBusy(true);
    const id = await edit(session, seen, withNewText(node.message, text), mode);
    setBusy(false);
    if (id === null) return;
    close();
    if (mode === 'branch' && node.role === 'user' && modelsNow(useLists.getState()).length > 0)
      await reply(session, id, wishNow());
  };
  return (
    <div className="editbox">
      <textarea
        ref={area}
        aria-label={t('editMessage')}
        value={text}
        rows={Math.min(18, Math.max(2, text.split('\n').length))}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const command = event.metaKey || event.ctrlKey;
          if (event.key === 'Escape') close();
          else if (command && event.key.toLowerCase() === 's') void save('in-place');
          else if (command && event.key === 'Enter') void save('branch');
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div className="row">
        <Button small look="quiet" onClick={close}>
          {t('cancel')}
        </Button>
        <span className="grow" />
        <Button small disabled={busy} onClick={() => void save('in-place')}>
          {t('saveOnly')} <kbd>⌘S</kbd>
        </Button>
        <Button small look="primary" icon="fork" disabled={busy} onClick={() => void save('branch')}>
          {node.role === 'user' ? t('branchAndSend') : t('branch')}
        </Button>
      </div>
    </div>
  );
}
