import { messageKit } from '@coppice/content';
import { type Message, type NodeId, textMessage } from '@coppice/core';
import { type ReactElement, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { toExcerpt } from '../markdown/first-words.ts';
import { SignInStrip } from '../settings/sign-in.tsx';
import { useAppData } from '../state/app-data.ts';
import { followChatOptions } from '../state/chat-options.ts';
import { replyTo, sendMessage, stopReply } from '../state/generation.ts';
import { takeTypedText } from '../state/new-tree.ts';
import { pageClient } from '../state/page-client.ts';
import { takeUnansweredMessage } from '../state/start-chat.ts';
import { showToast } from '../state/toasts.ts';
import { appendWithoutReply, newNodeUuid } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { blockOfAttachment, estimateAttachmentTokens } from './attachments.ts';
import { ComposerBox } from './composer-box.tsx';
import { ContextCount, ContextGauge } from './composer-tray.tsx';
import { currentOptions } from './current-options.ts';
import { plainTextOf } from './rows.ts';
import { runCommandLine } from './run-line.ts';
import { useSlashMenu } from './slash-menu.tsx';
import { useDockHeight } from './use-dock-height.ts';
import { useDraft, useUnsentMessages } from './use-draft.ts';
import { useDraftFiles } from './use-files.ts';

/** The input of the next message. */
export function ChatComposer(): ReactElement {
  const session = useSession();
  const part = useTree((state) => state.part);
  const live = useTree((state) => state.live);
  const connected = useTree((state) => state.connected);
  const unauthorized = useAppData((lists) => lists.unauthorized);
  const waiting = useTree((state) => state.waiting);
  const { text, set: setText } = useDraft(session.treeId);
  const files = useDraftFiles(session.treeId, connected);
  const [wanted, setWanted] = useState<boolean | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [focused, setFocused] = useState(false);
  const slash = useSlashMenu(session.treeId, part?.leaf ?? null, text, focused);
  const parentId = part === null ? null : (part.leaf ?? part.tree.rootId);
  const running = [...live.keys()].filter((id) => part?.nodes.get(id)?.status === 'pending');

  useUnsentMessages(session.treeId, connected, (back) => setText((now) => (now === '' ? back : `${back}\n\n${now}`)));
  useEffect(() => {
    const typed = takeTypedText(session.treeId);
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

  // The first message of a new chat is stored but still needs a reply.
  const registersKnown = useAppData((lists) => lists.registersKnown);
  const started = part !== null && part.leaf !== null && registersKnown;
  useEffect(() => {
    const node = started ? takeUnansweredMessage(session.treeId) : null;
    if (node !== null) void replyTo(session, node, currentOptions());
  }, [session, started]);

  const dock = useDockHeight();
  // Deferred: counting a long text must not delay typing.
  const counted = useDeferredValue(text);
  const draftTokens = useMemo(() => {
    const words = counted.trim() === '' ? 0 : messageKit.tokens(textMessage('user', counted));
    return files.list.reduce((sum, file) => sum + estimateAttachmentTokens(file), words);
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
    pageClient.unsent.keep(session.treeId, id, kept, Date.now());
    const done = answer
      ? await sendMessage(session, parentId, said, currentOptions(), id)
      : await appendWithoutReply(session, parentId, said, id);
    pageClient.unsent.drop(session.treeId, id);
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
      <ComposerBox
        text={text}
        setText={setText}
        files={files}
        slash={slash}
        area={area}
        rows={1}
        placeholder={t('write')}
        head={
          <GrowsFrom parentId={parentId}>
            <ContextGauge className="phone-only" draftTokens={draftTokens} />
          </GrowsFrom>
        }
        controls={
          <>
            <ContextCount />
            <ContextGauge className="desk-only" draftTokens={draftTokens} />
          </>
        }
        button={
          running.length > 0 && text.trim() === '' ? (
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
              label={`${t('send')} (${formatChord('enter')})`}
              disabled={parentId === null}
              onClick={() => void send(true)}
            />
          )
        }
        onFocusChange={setFocused}
        onSend={(answer) => void send(answer)}
      />
    </div>
  );
}

function GrowsFrom({
  parentId,
  children,
}: {
  readonly parentId: NodeId | null;
  readonly children: ReactNode;
}): ReactElement {
  const node = useTree((state) => (parentId === null ? undefined : state.part?.nodes.get(parentId)));
  const words = node === undefined ? '' : (node.meta.title ?? toExcerpt(plainTextOf(node.message), 70));
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
