import { textMessage } from '@coppice/core';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { t } from '../i18n/index.ts';
import { shownChord } from '../keys/chords.ts';
import { useAppData } from '../state/app-data.ts';
import { presetIn, useLibrary } from '../state/library.ts';
import { useProjectDefaults } from '../state/projects.ts';
import { startChat } from '../state/start-chat.ts';
import { showToast } from '../state/toasts.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { blockOfAttachment } from '../thread/attachments.ts';
import { joinWords } from '../thread/composer.tsx';
import { ComposerTray } from '../thread/composer-tray.tsx';
import { FileChips } from '../thread/file-chips.tsx';
import { fitHeight } from '../thread/fit-height.ts';
import { optionId, SlashMenu, useSlash } from '../thread/slash-menu.tsx';
import { useDraft } from '../thread/use-draft.ts';
import { useFiles } from '../thread/use-files.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

const draftName = 'new-chat';
const mostHeight = 320;
const longestPaste = 40_000;

/** The composer of a new chat. Nothing is stored before the first message is sent. */
export function StartComposer({ folder }: { readonly folder: string | null }): ReactElement {
  const { text, set: setText, forget } = useDraft(draftName);
  const files = useFiles(draftName, true);
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState(false);
  const [focused, setFocused] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const slash = useSlash(null, null, text, focused);
  const asked = useUi((ui) => ui.newChats);
  const presetName = useUi((ui) => ui.preset);
  const preset = useLibrary(({ items }) => presetIn(items, presetName));
  const hasFiles = useLibrary(({ files: kept }) => folder !== null && kept.has(folder));
  useProjectDefaults(folder);
  const ready = useAppData((lists) => lists.models.length === 0 || lists.models.some((model) => model.ready));
  useLayoutEffect(() => fitHeight(area.current, text, mostHeight), [text]);
  useEffect(() => {
    if (asked > 0) area.current?.focus();
  }, [asked]);
  const send = async (answer: boolean) => {
    const blocks = files.list.map(blockOfAttachment).filter((block) => block !== null);
    const words = text.trim();
    if (sending || (words === '' && blocks.length === 0)) return;
    const stuck = files.list.find((file) => file.state !== 'ready');
    if (stuck !== undefined) {
      showToast({ icon: 'warn', text: t('fileStuck', { name: stuck.name }), bad: true });
      return;
    }
    setSending(true);
    const { content } = textMessage('user', text);
    const message = { role: 'user' as const, content: words === '' ? blocks : [...content, ...blocks] };
    const done = await startChat(message, { folder, preset }, answer);
    setSending(false);
    if (!done) return;
    forget();
    setText('');
    files.take();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (slash.onKeyDown(event, setText)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send(!event.altKey);
    } else if (event.key === 'Escape') event.currentTarget.blur();
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain');
    if (event.clipboardData.files.length > 0) files.add(event.clipboardData.files);
    else if (pasted.length > longestPaste) files.add([new File([pasted], t('pastedName'), { type: 'text/plain' })]);
    else return;
    event.preventDefault();
  };
  return (
    <div className="start-dock">
      <SlashMenu slash={slash} onPick={setText} />
      <section
        className={over ? 'composer over' : 'composer'}
        aria-label={t('composer')}
        onDragOver={(event) => {
          event.preventDefault();
          event.stopPropagation();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          if (event.dataTransfer.files.length === 0) return;
          event.preventDefault();
          event.stopPropagation();
          setOver(false);
          files.add(event.dataTransfer.files);
        }}
      >
        {folder === null ? null : (
          <div className="from">
            <Icon name="folder" />
            <span className="clip grow">{t('newInProject', { name: folder })}</span>
            {hasFiles ? <span className="chip">{t('withProjectFiles')}</span> : null}
            <Button small look="quiet" icon="gear" onClick={() => openDialog({ name: 'project', project: folder })}>
              {t('projectSettings')}
            </Button>
          </div>
        )}
        <textarea
          id="composer"
          ref={area}
          className="text"
          rows={2}
          value={text}
          placeholder={t('writeFirst')}
          aria-label={t('message')}
          aria-autocomplete="list"
          aria-controls={slash.open ? 'slash-menu' : undefined}
          aria-activedescendant={slash.open ? optionId(slash.at) : undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          dir="auto"
        />
        {files.list.length === 0 ? null : <FileChips files={files} />}
        <div className="tray">
          <ComposerTray onFiles={files.add} onDictated={(words) => setText(joinWords(text, words))} />
          <IconButton
            className="send"
            icon="send"
            label={ready ? `${t('send')} (${shownChord('enter')})` : t('connectToSend')}
            disabled={!ready || sending}
            onClick={() => void send(true)}
          />
        </div>
      </section>
    </div>
  );
}
