/** Sends what the composer contains: a message, or a command. */
import { type Message, type NodeId, textMessage } from '@coppice/core';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { sendMessage } from '../state/generation.ts';
import { pageClient } from '../state/page-client.ts';
import { showToast } from '../state/toasts.ts';
import { appendWithoutReply, newNodeUuid } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { blockOfAttachment } from './attachments.ts';
import { currentOptions } from './current-options.ts';
import { runCommandLine } from './run-line.ts';
import type { DraftFiles } from './use-files.ts';

/** The content of the composer. */
export interface ComposedMessage {
  readonly text: string;
  readonly setText: Dispatch<SetStateAction<string>>;
  readonly files: DraftFiles;
}

/** Builds the message of the composer; null if it has neither text nor files. */
function buildMessage({ text, files }: ComposedMessage): Message | null {
  const blocks = files.list.map(blockOfAttachment).filter((block) => block !== null);
  const isBlank = text.trim() === '';
  if (isBlank && blocks.length === 0) return null;
  const { content } = textMessage('user', text);
  return { role: 'user', content: isBlank ? blocks : [...content, ...blocks] };
}

/**
 * Returns a function that sends the composed message below a parent, with or without a reply. Before the page is ready
 * and the files are uploaded, it only remembers the request, which is then sent by itself.
 */
export function useSend(composed: ComposedMessage, parentId: NodeId | null): (answer: boolean) => Promise<void> {
  const session = useSession();
  const { text, setText, files } = composed;
  const [requested, setRequested] = useState<boolean | null>(null);
  const registersKnown = useAppData((lists) => lists.registersKnown);
  const ready = parentId !== null && registersKnown && !files.list.some((file) => file.state === 'sending');

  const runCommand = async () => {
    setText('');
    const left = await runCommandLine(session, text);
    setText((now) => (now === '' ? (left ?? text) : now));
  };

  const sendBelow = async (parent: NodeId, message: Message, answer: boolean) => {
    const sentFiles = files.take();
    const id = newNodeUuid();
    setText('');
    pageClient.unsent.keep(session.treeId, id, text, Date.now());
    const done = answer
      ? await sendMessage(session, parent, message, currentOptions(), id)
      : await appendWithoutReply(session, parent, message, id);
    pageClient.unsent.drop(session.treeId, id);
    if (done) return;
    // A refused message goes back into the composer, unless it has new text.
    setText((now) => (now === '' ? text : now));
    files.giveBack(sentFiles);
  };

  const send = async (answer: boolean) => {
    if (parentId === null || !ready) return setRequested(answer);
    if (text.startsWith('/') && !text.startsWith('//')) return runCommand();
    const failed = files.list.find((file) => file.state === 'failed');
    if (failed !== undefined) {
      showToast({ icon: 'warn', text: t('fileStuck', { name: failed.name }), bad: true });
      return;
    }
    const message = buildMessage(composed);
    if (message !== null) await sendBelow(parentId, message, answer);
  };

  useEffect(() => {
    if (!ready || requested === null) return;
    setRequested(null);
    void send(requested);
  });
  return send;
}
