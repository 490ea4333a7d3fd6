import { isText, type Message, type Node, type NodeId, textMessage } from '@coppice/core';
import { type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { shownChord } from '../keys/chords.ts';
import { edit, type Seen } from '../state/acts.ts';
import { keepDraft } from '../state/drafts.ts';
import { reply } from '../state/generation.ts';
import { modelsNow, useLists } from '../state/lists.ts';
import { say } from '../state/toasts.ts';
import { useUi } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { fitHeight } from './fit-height.ts';
import { focusMessage } from './focus-message.ts';
import { plainText } from './rows.ts';
import { useDraft } from './use-draft.ts';
import { wishNow } from './wish.ts';

/** A message's blocks with other text: the first text block takes it, further ones go, everything else stays in place. */
export function withNewText(message: Message, text: string): Message['content'] {
  const fresh = textMessage(message.role, text).content;
  const at = message.content.findIndex(isText);
  if (at < 0) return [...fresh, ...message.content];
  return message.content.flatMap((block, index) => (index === at ? fresh : isText(block) ? [] : [block]));
}

/** What the writer of an open box has seen: others may write while it is open. */
const begun = new Map<NodeId, Seen>();

function begunOn(node: Node, version: number): { readonly seen: Seen; readonly again: boolean } {
  const before = begun.get(node.id);
  const seen = before ?? { node, version };
  begun.set(node.id, seen);
  return { seen, again: before !== undefined };
}

/** A message that is being rewritten: as a new stem, or saved in its place. */
export function EditBox({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const name = `edit.${node.id}`;
  // As it was when the box was opened: what others save meanwhile must not pass for what was typed here.
  const [original] = useState(() => plainText(begun.get(node.id)?.node.message ?? node.message));
  const { text, set: setText, forget } = useDraft(name, original);
  // Scrolled far away the box is not drawn; what it was begun on is remembered, and the hand that scrolls keeps the focus.
  const [{ seen, again }] = useState(() => begunOn(node, session.version));
  const [busy, setBusy] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const close = () => {
    begun.delete(node.id);
    forget();
    useUi.setState({ editing: null });
    focusMessage(node.id);
  };
  const cancel = () => {
    close();
    if (text === original) return;
    const takeUp = () => {
      keepDraft(name, text);
      begun.set(node.id, seen);
      useUi.setState({ editing: node.id });
    };
    say({ icon: 'edit', text: t('editDropped'), action: { label: t('undo'), run: takeUp } });
  };
  useEffect(() => {
    const element = area.current;
    if (element === null || again) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [again]);
  // Whoever rewrites a message sees it whole, as far as the screen goes.
  useLayoutEffect(() => fitHeight(area.current, text, innerHeight / 2), [text]);
  const changed = useRef(false);
  changed.current = text !== original;
  useEffect(
    () => () => {
      if (!changed.current) begun.delete(node.id);
    },
    [node.id],
  );
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
        rows={2}
        dir="auto"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const command = event.metaKey || event.ctrlKey;
          if (event.key === 'Escape') cancel();
          else if (command && event.key.toLowerCase() === 's') void save('in-place');
          else if (command && event.key === 'Enter') void save('branch');
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div className="row">
        <Button small look="quiet" onClick={cancel}>
          {t('cancel')}
        </Button>
        <span className="grow" />
        <Button small disabled={busy} onClick={() => void save('in-place')}>
          {t('saveOnly')} <kbd>{shownChord('mod+s')}</kbd>
        </Button>
        <Button small look="primary" icon="fork" disabled={busy} onClick={() => void save('branch')}>
          {node.role === 'user' ? t('branchAndSend') : t('branch')}
        </Button>
      </div>
    </div>
  );
}
