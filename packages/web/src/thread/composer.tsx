import { messageKit } from '@coppice/content';
import { type Message, type NodeId, textMessage } from '@coppice/core';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { t, tn } from '../i18n/index.ts';
import { shownChord } from '../keys/chords.ts';
import { firstWords } from '../markdown/first-words.ts';
import { SignInStrip } from '../settings/sign-in.tsx';
import { useAppData } from '../state/app-data.ts';
import { followChatOptions } from '../state/chat-options.ts';
import { replyTo, sendMessage, stopReply } from '../state/generation.ts';
import { takeNewTree } from '../state/new-tree.ts';
import { client } from '../state/page-client.ts';
import { takeWantedReply } from '../state/start-chat.ts';
import { showToast } from '../state/toasts.ts';
import { appendWithoutReply, newNodeUuid } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { blockOfAttachment, tokensOf } from './attachments.ts';
import { ComposerTray, ContextCount, ContextGauge } from './composer-tray.tsx';
import { currentOptions } from './current-options.ts';
import { FileChips } from './file-chips.tsx';
import { fitHeight } from './fit-height.ts';
import { plainTextOf } from './rows.ts';
import { runCommandLine } from './run-line.ts';
import { optionId, SlashMenu, useSlash } from './slash-menu.tsx';
import { useDockHeight } from './use-dock-height.ts';
import { useDraft, useUnsent } from './use-draft.ts';
import { useFiles } from './use-files.ts';

// A longer paste is attached as a file: nobody edits it in a text box, which would become slow.
const longestPaste = 40_000;

// A higher box scrolls.
const mostHeight = 320;

/** The input of the next message. */
export function ChatComposer(): ReactElement {
  const session = useSession();
  const part = useTree((state) => state.part);
  const live = useTree((state) => state.live);
  const connected = useTree((state) => state.connected);
  const unauthorized = useAppData((lists) => lists.unauthorized);
  const waiting = useTree((state) => state.waiting);
  const { text, set: setText } = useDraft(session.treeId);
  const files = useFiles(session.treeId, connected);
  const [over, setOver] = useState(false);
  const [wanted, setWanted] = useState<boolean | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [focused, setFocused] = useState(false);
  const slash = useSlash(session.treeId, part?.leaf ?? null, text, focused);
  const parentId = part === null ? null : (part.leaf ?? part.tree.rootId);
  const running = [...live.keys()].filter((id) => part?.nodes.get(id)?.status === 'pending');

  useUnsent(session.treeId, connected, (back) => setText((now) => (now === '' ? back : `${back}\n\n${now}`)));
  useLayoutEffect(() => fitHeight(area.current, text, mostHeight), [text]);
  useEffect(() => {
    const typed = takeNewTree(session.treeId);
    if (typed === null) return;
    area.current?.focus();
    setText((now) => now + typed);
  }, [session, setText]);

  const message = (): Message | null => {
    const blocks = files.list.map(blockOfAttachment).filter((block) => block !== null);
    const words = text.trim();
    if (words === '' && blocks.length === 0) return null;
    const { content } = textMessage('user', text);
    return { role: 'user', content: words === '' ? blocks : [...content, ...blocks] };
  };

  const metadata = part?.tree.metadata;
  const known = metadata !== undefined;
  const created = useRef(metadata);
  created.current = metadata;
  useEffect(
    () => (known ? followChatOptions(session.treeId, created.current ?? {}) : undefined),
    [session.treeId, known],
  );

  // A new chat has its first message, which still needs a reply.
  const registersKnown = useAppData((lists) => lists.registersKnown);
  const started = part !== null && part.leaf !== null && registersKnown;
  useEffect(() => {
    const node = started ? takeWantedReply(session.treeId) : null;
    if (node !== null) void replyTo(session, node, currentOptions());
  }, [session, started]);

  const dock = useDockHeight();
  // Deferred: counting a long text must not delay typing.
  const counted = useDeferredValue(text);
  const draftTokens = useMemo(() => {
    const words = counted.trim() === '' ? 0 : messageKit.tokens(textMessage('user', counted));
    return files.list.reduce((sum, file) => sum + tokensOf(file), words);
  }, [counted, files.list]);

  const ready = parentId !== null && registersKnown && !files.list.some((file) => file.state === 'sending');

  const send = async (answer: boolean) => {
    // A message sent before the page is ready is sent as soon as possible.
    if (parentId === null || !ready) {
      setWanted(answer);
      return;
    }
    if (text.startsWith('/') && !text.startsWith('//')) {
      const line = text;
      setText('');
      const left = await runCommandLine(session, line);
      setText((now) => (now === '' ? (left ?? line) : now));
      return;
    }
    const stuck = files.list.find((file) => file.state === 'failed');
    if (stuck !== undefined) {
      showToast({ icon: 'warn', text: t('fileStuck', { name: stuck.name }), bad: true });
      return;
    }
    const said = message();
    if (said === null) return;
    const kept = text;
    const taken = files.take();
    const id = newNodeUuid();
    setText('');
    client.unsent.keep(session.treeId, id, kept, Date.now());
    const done = answer
      ? await sendMessage(session, parentId, said, currentOptions(), id)
      : await appendWithoutReply(session, parentId, said, id);
    client.unsent.drop(session.treeId, id);
    // A refused message goes back into the composer, unless it has new text.
    if (!done) {
      setText((now) => (now === '' ? kept : now));
      files.giveBack(taken);
    }
  };

  useEffect(() => {
    if (!ready || wanted === null) return;
    setWanted(null);
    void send(wanted);
  });

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (slash.onKeyDown(event, setText)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send(!event.altKey);
    } else if (event.key === 'Escape') event.currentTarget.blur();
  };

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    if (event.clipboardData.files.length > 0) {
      event.preventDefault();
      files.add(event.clipboardData.files);
      return;
    }
    const pasted = event.clipboardData.getData('text/plain');
    if (pasted.length <= longestPaste) return;
    event.preventDefault();
    files.add([new File([pasted], t('pastedName'), { type: 'text/plain' })]);
    showToast({ icon: 'clip', text: t('pastedAsFile', { n: pasted.length }) });
  };

  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    setOver(false);
    files.add(event.dataTransfer.files);
  };

  return (
    <div className="dock" ref={dock}>
      {unauthorized ? <SignInStrip waiting={waiting} /> : null}
      {connected || unauthorized ? null : (
        <div className="strip off" role="status">
          <Icon name="offline" />
          <span className="grow">
            <b>{t('offline')}</b> {waiting > 0 ? tn('changesWait', waiting) : t('keepWriting')}
          </span>
          <Button small onClick={() => session.retry()}>
            {t('tryNow')}
          </Button>
        </div>
      )}
      <SlashMenu slash={slash} onPick={(line) => setText(line)} />
      <section
        className={over ? 'composer over' : 'composer'}
        aria-label={t('composer')}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <GrowsFrom parentId={parentId}>
          <ContextGauge className="phone-only" draftTokens={draftTokens} />
        </GrowsFrom>
        <textarea
          id="composer"
          ref={area}
          className="text"
          rows={1}
          value={text}
          placeholder={t('write')}
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
          <ComposerTray onFiles={files.add} onDictated={(words) => setText((now) => joinWords(now, words))}>
            <ContextCount />
            <ContextGauge className="desk-only" draftTokens={draftTokens} />
          </ComposerTray>
          {running.length > 0 && text.trim() === '' ? (
            <IconButton
              className="send"
              icon="stop"
              label={t('stop')}
              onClick={() => running.forEach((id) => void stopReply(session, id))}
            />
          ) : (
            <IconButton
              className="send"
              icon="send"
              label={`${t('send')} (${shownChord('enter')})`}
              disabled={parentId === null}
              onClick={() => void send(true)}
            />
          )}
        </div>
      </section>
    </div>
  );
}

/** Appends words that were said to those that are there. */
export function joinWords(text: string, words: string): string {
  return text === '' || /\s$/.test(text) ? text + words : `${text} ${words}`;
}

function GrowsFrom({
  parentId,
  children,
}: {
  readonly parentId: NodeId | null;
  readonly children: ReactNode;
}): ReactElement {
  const node = useTree((state) => (parentId === null ? undefined : state.part?.nodes.get(parentId)));
  const words = node === undefined ? '' : (node.meta.title ?? firstWords(plainTextOf(node.message), 70));
  return (
    <div className="from">
      <Icon name="fork" />
      {node === undefined ? (
        <span className="grow">{t('startsNewChat')}</span>
      ) : (
        <span className="grow clip">
          {t('replyingTo')} <b dir="auto">{words === '' ? '…' : words}</b>
        </span>
      )}
      {children}
    </div>
  );
}
