/** Sends what the composer contains: a message, or a command. */
import { type Message, type NodeId, textMessage } from '@coppice/core';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { sendMessage } from '../state/generation.ts';
import { pageClient } from '../state/page-client.ts';
import { showToast } from '../state/toasts.ts';
import { appendWithoutReply, createNodeId } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { blockOfAttachment } from './attachments.ts';
import { decideQueuedMessage, isReplyInProgress } from './queued-message.ts';
import { runSlashCommandLine } from './run-slash-command-line.ts';
import type { DraftFiles } from './use-files.ts';

/** The content of the composer. */
export interface ComposedMessage {
  readonly text: string;
  readonly setText: Dispatch<SetStateAction<string>>;
  readonly files: DraftFiles;
}

/** Builds the message of the composer; null if it has neither text nor files. */
export function buildComposedMessage({ text, files }: Pick<ComposedMessage, 'text' | 'files'>): Message | null {
  const blocks = files.list.map(blockOfAttachment).filter((block) => block !== null);
  const isBlank = text.trim() === '';
  if (isBlank && blocks.length === 0) return null;
  const { content } = textMessage('user', text);
  return { role: 'user', content: isBlank ? blocks : [...content, ...blocks] };
}

/** Shows which file could not be uploaded. Returns whether there is one, because a message is not sent without it. */
export function reportFailedFile({ list }: DraftFiles): boolean {
  const failed = list.find((file) => file.state === 'failed');
  if (failed !== undefined) showToast({ icon: 'warn', text: t('fileStuck', { name: failed.name }), bad: true });
  return failed !== undefined;
}

/** Whether the files of a composer are still being uploaded. */
export function isUploading({ list }: DraftFiles): boolean {
  return list.some((file) => file.state === 'sending');
}

type Send = (answer: boolean) => Promise<void>;

/** Returns a function that sends at once if `ready` is true, and otherwise as soon as it becomes true. */
export function useSendWhenReady(ready: boolean, send: Send): Send {
  /** Whether to send with or without a reply as soon as possible; null if nothing waits. */
  const [requested, setRequested] = useState<boolean | null>(null);
  useEffect(() => {
    if (!ready || requested === null) return;
    setRequested(null);
    void send(requested);
  });
  return async (answer) => {
    if (ready) await send(answer);
    else setRequested(answer);
  };
}

/** The functions that send the composed message, or let it wait for the reply above it. */
export interface MessageSender {
  /** Sends the message, with or without a reply. */
  readonly send: Send;
  /** Whether the message is sent when the reply above it is complete. */
  readonly isQueued: boolean;
  /** Stops waiting: the message stays in the composer and is not sent. */
  readonly cancel: () => void;
}

/**
 * Sends the composed message below a parent. While the page is not ready, files are being uploaded or the reply at the
 * parent is in progress, the message waits and is then sent automatically.
 */
export function useSend(composed: ComposedMessage, parentId: NodeId | null): MessageSender {
  const session = useSession();
  const { text, setText, files } = composed;
  const queue = useQueuedMessage(parentId, text.trim() === '' && files.list.length === 0);
  const registersKnown = useAppData((lists) => lists.registersKnown);
  const ready = parentId !== null && registersKnown && !isUploading(files);

  const runCommand = async () => {
    setText('');
    const left = await runSlashCommandLine(session, text);
    setText((now) => (now === '' ? (left ?? text) : now));
  };

  const sendBelow = async (parent: NodeId, message: Message, answer: boolean) => {
    const sentFiles = files.take();
    const id = createNodeId();
    setText('');
    pageClient.unsent.keep(session.treeId, id, text, Date.now());
    const done = answer
      ? await sendMessage(session, parent, message, currentGenerationOptions(), id)
      : await appendWithoutReply(session, parent, message, id);
    pageClient.unsent.drop(session.treeId, id);
    if (done) return;
    // A refused message goes back into the composer, unless it has new text.
    setText((now) => (now === '' ? text : now));
    files.giveBack(sentFiles);
  };

  const send = useSendWhenReady(ready, async (answer) => {
    if (parentId === null) return;
    if (text.startsWith('/') && !text.startsWith('//')) return runCommand();
    if (reportFailedFile(files)) return queue.cancel();
    const message = buildComposedMessage(composed);
    if (message === null || queue.wait(answer)) return;
    await sendBelow(parentId, message, answer);
  });

  useEffect(() => {
    if (queue.due !== null && ready) void send(queue.due);
  });
  return { send, isQueued: queue.isQueued, cancel: queue.cancel };
}

interface QueuedMessage {
  readonly isQueued: boolean;
  /** The request to send now, with or without a reply; null while there is none. */
  readonly due: boolean | null;
  /** Lets a message wait if the reply at its parent is in progress. False if it can be sent. */
  wait(answer: boolean): boolean;
  cancel(): void;
}

/** The message that waits for the reply at its parent. It is kept in the composer if the user goes to another branch. */
function useQueuedMessage(parentId: NodeId | null, isEmpty: boolean): QueuedMessage {
  const session = useSession();
  const [queued, setQueued] = useState<{ readonly answer: boolean; readonly navigationCount: number } | null>(null);
  const last = useTree((state) => (parentId === null ? undefined : state.part?.nodes.get(parentId)));
  const calls = useTree((state) => state.calls);
  const isHere = queued !== null && queued.navigationCount === session.navigationCount && !isEmpty;
  const decision = isHere ? decideQueuedMessage(last) : 'keep';
  useEffect(() => {
    if (queued !== null && decision === 'keep') setQueued(null);
  }, [queued, decision]);
  return {
    isQueued: isHere && decision === 'wait',
    due: isHere && decision === 'send' ? queued.answer : null,
    wait(answer) {
      const waits = isReplyInProgress(last, calls);
      setQueued(waits ? { answer, navigationCount: session.navigationCount } : null);
      return waits;
    },
    cancel: () => setQueued(null),
  };
}
