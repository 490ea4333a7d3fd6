import type { SeenContent } from '@coppice/client';
import { isText, type Message, type Node, textMessage } from '@coppice/core';
import {
  type Dispatch,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { t } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { currentModels, useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { saveDraft } from '../state/drafts.ts';
import { saveEditedMessage } from '../state/edit-message.ts';
import { generateReplyTo } from '../state/generation.ts';
import { showToast } from '../state/toasts.ts';
import { useUi } from '../state/ui.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { isInputMethodKey } from '../ui/input-method.ts';
import {
  closeEditBox,
  editDraftName,
  forgetOriginalContent,
  originalContentOf,
  rememberOriginalContent,
  saveEdit,
  useSavingMessages,
} from './edits.ts';
import { fitTextAreaHeight } from './fit-text-area-height.ts';
import { focusMessage } from './focus-message.ts';
import { plainTextOf } from './rows.ts';
import { useDraft } from './use-draft.ts';

/**
 * Replaces the text of a message: its first text block gets the new text, further text blocks are removed, and other
 * blocks stay.
 */
function withNewText(message: Message, text: string): Message['content'] {
  const fresh = textMessage(message.role, text).content;
  const at = message.content.findIndex(isText);
  if (at < 0) return [...fresh, ...message.content];
  return message.content.flatMap((block, index) => (index === at ? fresh : isText(block) ? [] : [block]));
}

/** Whether the box still has the focus: a save may take long, and must not take the focus from another input. */
function hasFocus(box: HTMLElement | null): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || box?.contains(activeElement) === true;
}

/** The edit box of a message: saved as a new variant, or in place. */
export function EditBox({ node }: { readonly node: Node }): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, setText, busy, save, cancel } = useEdit(node, box, area);
  // The box grows with the message, up to half the screen.
  useLayoutEffect(() => fitTextAreaHeight(area.current, text, innerHeight / 2), [text]);
  const onKeyDown = (event: KeyboardEvent) => {
    const command = event.metaKey || event.ctrlKey;
    if (isInputMethodKey(event)) return;
    if (event.key === 'Escape') cancel();
    else if (command && event.key.toLowerCase() === 's') void save('in-place');
    else if (command && event.key === 'Enter') void save('branch');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="editbox" ref={box} aria-busy={busy}>
      <textarea
        ref={area}
        aria-label={t('editMessage')}
        value={text}
        rows={2}
        dir="auto"
        readOnly={busy}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="row">
        <Button small look="quiet" disabled={busy} onClick={cancel}>
          {t('cancel')}
        </Button>
        <span className="grow" />
        <Button small disabled={busy} onClick={() => void save('in-place')}>
          {t('saveOnly')} <kbd>{formatChord('mod+s')}</kbd>
        </Button>
        <Button small look="primary" icon="fork" disabled={busy} onClick={() => void save('branch')}>
          {node.role === 'user' ? t('branchAndSend') : t('branch')}
        </Button>
      </div>
    </div>
  );
}

/** The text of an edit, and the functions that change, save or cancel it. */
interface MessageEdit {
  readonly text: string;
  readonly setText: Dispatch<SetStateAction<string>>;
  readonly busy: boolean;
  /** Saves the text, and generates a reply to a new variant of the user's message. */
  save(mode: 'branch' | 'in-place'): Promise<void>;
  /** Closes the box. A changed text can be restored from a toast. */
  cancel(): void;
}

function useEdit(
  node: Node,
  box: RefObject<HTMLElement | null>,
  area: RefObject<HTMLTextAreaElement | null>,
): MessageEdit {
  const session = useSession();
  const name = editDraftName(node.id);
  const seen = useSeenContent(node, area);
  const original = plainTextOf(seen.node.message);
  const { text, set: setText, forget } = useDraft(name, original);
  const busy = useSavingMessages(({ ids }) => ids.has(node.id));
  useOriginalContent(seen, text !== original);
  const save = async (mode: 'branch' | 'in-place') => {
    const { message } = node;
    if (message === null || text.trim() === '' || busy) return;
    const id = await saveEdit(
      node.id,
      () => saveEditedMessage(session, seen, withNewText(message, text), mode),
      () => hasFocus(box.current),
    );
    if (id === null) return;
    forget();
    if (mode === 'branch' && node.role === 'user' && currentModels(useAppData.getState()).length > 0)
      await generateReplyTo(session, id, currentGenerationOptions());
  };
  const cancel = () => {
    // A running save cannot be cancelled here; the box is hidden, and the saved edit can be undone like any change.
    if (busy) useUi.setState({ editing: null });
    else {
      forget();
      closeEditBox(node.id);
    }
    focusMessage(node.id);
    if (busy || text === original) return;
    const editAgain = () => {
      saveDraft(name, text);
      rememberOriginalContent(seen);
      useUi.setState({ editing: node.id });
    };
    showToast({ icon: 'edit', text: t('editDropped'), action: { label: t('undo'), run: editAgain } });
  };
  return { text, setText, busy, save, cancel };
}

/**
 * Returns the content when the box was opened, since saves of others must not count as changes made here. A box that
 * was scrolled far away is mounted again with the content that it remembers; only a new box gets the focus.
 */
function useSeenContent(node: Node, area: RefObject<HTMLTextAreaElement | null>): SeenContent {
  const session = useSession();
  const [before] = useState(() => originalContentOf(node.id));
  const [seen] = useState<SeenContent>(() => before ?? { node, version: session.version });
  useEffect(() => {
    const element = area.current;
    if (element === null || before !== null) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [area, before]);
  return seen;
}

/** Remembers the original content while the box is open; also while a changed box is scrolled away. */
function useOriginalContent(seen: SeenContent, isChanged: boolean): void {
  const changed = useRef(false);
  changed.current = isChanged;
  useEffect(() => {
    const { id } = seen.node;
    rememberOriginalContent(seen);
    return () => {
      // A closed box has no draft, even if this effect belongs to an earlier render.
      if (originalContentOf(id) === null) saveDraft(editDraftName(id), '');
      if (!changed.current) forgetOriginalContent(id);
    };
  }, [seen]);
}
