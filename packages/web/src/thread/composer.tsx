import { replySourceOf } from '@coppice/client';
import { messageKit } from '@coppice/content';
import { type Node, type NodeId, textMessage } from '@coppice/core';
import {
  type Dispatch,
  type ReactElement,
  type ReactNode,
  type RefObject,
  type SetStateAction,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { t, tn } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { nameOfMessage } from '../markdown/message-name.ts';
import { SignInStrip } from '../settings/sign-in.tsx';
import { useAppData } from '../state/app-data.ts';
import { currentGenerationOptions, followChatOptions } from '../state/chat-options.ts';
import { generateReplyTo, stopReply } from '../state/generation.ts';
import { takeTypedText } from '../state/new-tree.ts';
import { takeUnansweredMessage } from '../state/start-chat.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { estimateAttachmentTokens } from './attachments.ts';
import { ComposerBox } from './composer-box.tsx';
import { ContextGauge, ContextSizeLoader } from './composer-tray.tsx';
import { plainTextOf } from './rows.ts';
import { useSlashMenu } from './slash-menu.tsx';
import { useDockHeight } from './use-dock-height.ts';
import { useDraft, useUnsentMessages } from './use-draft.ts';
import { type DraftFiles, useDraftFiles } from './use-files.ts';
import { useSend } from './use-send.ts';

/** The input of the next message. */
export function ChatComposer(): ReactElement {
  const session = useSession();
  const leaf = useTree((state) => state.part?.leaf ?? null);
  const connected = useTree((state) => state.connected);
  const parentId = useTree((state) => (state.part === null ? null : (state.part.leaf ?? state.part.tree.rootId)));
  const { text, set: setText } = useDraft(session.treeId);
  const files = useDraftFiles(session.treeId, connected);
  const area = useRef<HTMLTextAreaElement>(null);
  const [focused, setFocused] = useState(false);
  const slash = useSlashMenu(session.treeId, leaf, text, focused);
  useUnsentMessages(session.treeId, connected, (back) => setText((now) => (now === '' ? back : `${back}\n\n${now}`)));
  useTypedText(area, setText);
  const optionsKnown = useTreeOptions();
  useReplyToFirstMessage();
  const { send, isQueued, cancel } = useSend({ text, setText, files }, parentId);
  const dock = useDockHeight();
  const draftTokens = useDraftTokens(text, files.list);
  const running = useRunningReplies();
  const stop = () => {
    for (const id of running) void stopReply(session, id);
  };
  const onStop = running.length > 0 && text.trim() === '' ? stop : null;
  return (
    <div className="dock" ref={dock}>
      <ConnectionStrip />
      <ComposerBox
        text={text}
        setText={setText}
        files={files}
        slash={slash}
        area={area}
        rows={1}
        placeholder={t('write')}
        head={
          <ReplyTarget parentId={parentId}>
            {isQueued ? <QueuedNote onCancel={cancel} /> : null}
            <ContextGauge className="phone-only" draftTokens={draftTokens} />
          </ReplyTarget>
        }
        controls={
          <>
            <ContextSizeLoader />
            <ContextGauge className="desk-only" draftTokens={draftTokens} />
          </>
        }
        button={<SendButton onStop={onStop} disabled={parentId === null} onSend={() => void send(true)} />}
        onFocusChange={setFocused}
        onSend={(answer) => void send(answer)}
        takesAllFiles
        optionsKnown={optionsKnown}
        onEscape={isQueued ? cancel : onStop}
      />
    </div>
  );
}

/** Takes over what the user typed on another screen before this chat was open. */
function useTypedText(area: RefObject<HTMLTextAreaElement | null>, setText: Dispatch<SetStateAction<string>>): void {
  const session = useSession();
  useEffect(() => {
    const typed = takeTypedText(session.treeId);
    if (typed === null) return;
    area.current?.focus();
    setText((now) => now + typed);
  }, [session, area, setText]);
}

/** Uses the options that are stored with the chat. False until they are loaded. */
function useTreeOptions(): boolean {
  const { treeId } = useSession();
  const metadata = useTree((state) => state.part?.tree.metadata);
  const known = metadata !== undefined;
  const newest = useRef(metadata);
  newest.current = metadata;
  useEffect(() => (known ? followChatOptions(treeId, newest.current ?? {}) : undefined), [treeId, known]);
  return known;
}

/** Generates the reply to the first message of a new chat, which is stored before the chat is opened. */
function useReplyToFirstMessage(): void {
  const session = useSession();
  const registersKnown = useAppData((lists) => lists.registersKnown);
  const hasMessages = useTree((state) => state.part !== null && state.part.leaf !== null);
  const canStart = hasMessages && registersKnown;
  useEffect(() => {
    const node = canStart ? takeUnansweredMessage(session.treeId) : null;
    if (node !== null) void generateReplyTo(session, node, currentGenerationOptions());
  }, [session, canStart]);
}

/** The tokens of the next message. Deferred: counting a long text must not delay typing. */
function useDraftTokens(text: string, files: DraftFiles['list']): number {
  const counted = useDeferredValue(text);
  return useMemo(() => {
    const textTokens = counted.trim() === '' ? 0 : messageKit.tokens(textMessage('user', counted));
    return files.reduce((sum, file) => sum + estimateAttachmentTokens(file), textTokens);
  }, [counted, files]);
}

/** Shows that the user is signed out, or that the server cannot be reached. */
function ConnectionStrip(): ReactElement | null {
  const session = useSession();
  const connected = useTree((state) => state.connected);
  const waiting = useTree((state) => state.waiting);
  const unauthorized = useAppData((lists) => lists.unauthorized);
  if (unauthorized) return <SignInStrip waiting={waiting} />;
  if (connected) return null;
  return (
    <div className="strip off" role="status">
      <Icon name="offline" />
      <span className="grow">
        <b>{t('offline')}</b> {waiting > 0 ? tn('changesWait', waiting) : t('keepWriting')}
      </span>
      <Button small onClick={() => session.retry()}>
        {t('tryNow')}
      </Button>
    </div>
  );
}

/** Returns the replies of this chat that are being written, on any branch. */
function useRunningReplies(): readonly NodeId[] {
  const nodes = useTree((state) => state.part?.nodes);
  const live = useTree((state) => state.live);
  return [...live.keys()].filter((id) => nodes?.get(id)?.status === 'pending');
}

interface SendButtonProps {
  /** Stops running replies. Null if there are none, or the composer has a text to send. */
  readonly onStop: (() => void) | null;
  readonly disabled: boolean;
  readonly onSend: () => void;
}

function SendButton({ onStop, disabled, onSend }: SendButtonProps): ReactElement {
  if (onStop !== null)
    return (
      <IconButton
        className="send"
        icon="stop"
        label={t('stop')}
        title={`${t('stop')} (${formatChord('escape')})`}
        onClick={onStop}
      />
    );
  return (
    <IconButton
      className="send"
      icon="send"
      label={`${t('send')} (${formatChord('enter')})`}
      disabled={disabled}
      onClick={onSend}
    />
  );
}

/** Says that the message is sent when the reply above it is complete. */
function QueuedNote({ onCancel }: { readonly onCancel: () => void }): ReactElement {
  return (
    <span className="queued" role="status">
      {t('sendsAfterReply')}
      <button type="button" className="text-link" onClick={onCancel}>
        {t('cancel')}
      </button>
    </span>
  );
}

/** Names a message by its title or first words, and a reply that has no text yet by its model. */
function nameOfReplyTarget(node: Node): string {
  if (node.meta.title !== undefined) return node.meta.title;
  const text = plainTextOf(node.message);
  const model = node.status === 'pending' && text === '' ? replySourceOf(node.meta).model : null;
  return model ?? nameOfMessage(text, node.status, 70);
}

/** The message that the next one replies to. */
function ReplyTarget({
  parentId,
  children,
}: {
  readonly parentId: NodeId | null;
  readonly children: ReactNode;
}): ReactElement {
  const node = useTree((state) => (parentId === null ? undefined : state.part?.nodes.get(parentId)));
  return (
    <div className="from">
      <Icon name="fork" />
      {node === undefined ? (
        <span className="grow">{t('startsNewChat')}</span>
      ) : (
        <span className="grow clip">
          {t('replyingTo')} <b dir="auto">{nameOfReplyTarget(node)}</b>
        </span>
      )}
      {children}
    </div>
  );
}
