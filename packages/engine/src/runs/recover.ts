/** Recovers the replies of processes that died. */
import {
  ask,
  isAppError,
  isText,
  type Message,
  type NodeId,
  type Run,
  type RunContext,
  run as runCommand,
  type Store,
  type TextBlock,
  type TreeId,
  textMessage,
  textOf,
} from '@coppice/core';

import { isTurnEventsRun } from './turn-events.ts';

/** The store, and the identity under which runs are claimed and completed. */
export interface RecoveryOptions extends Pick<RunContext, 'actor' | 'now' | 'newId' | 'kit'> {
  readonly store: Store;
  /** The id of this process, for claiming runs. */
  readonly process: string;
  /** After this many milliseconds without a heartbeat a run counts as lost. */
  readonly staleMs: number;
}

/** A reply that was recovered, with its new status. */
export interface RecoveredReply {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly status: 'interrupted' | 'error';
}

/**
 * Claims lost runs and stores their chunks as the text of their nodes, with the status `interrupted` (`error` if there
 * is no text). If several processes try, only one recovers each run.
 */
export async function recoverRuns(recovery: RecoveryOptions): Promise<readonly RecoveredReply[]> {
  const { store, staleMs, process } = recovery;
  const recovered: RecoveredReply[] = [];
  for (const stale of await store.runs.claimStale(staleMs, process)) {
    const one = await recoverRun(recovery, stale);
    if (one !== null) recovered.push(one);
  }
  return recovered;
}

/**
 * Recovers the lost runs of all owners with one claim, so that owners without a lost reply cost nothing. If a run
 * cannot be recovered now, the others still are; that run is claimed again later, and the error is thrown at the end.
 */
export async function recoverRunsOfAllOwners(
  recovery: Omit<RecoveryOptions, 'actor'>,
): Promise<readonly RecoveredReply[]> {
  const { store, staleMs, process } = recovery;
  const recovered: RecoveredReply[] = [];
  const failed: unknown[] = [];
  for (const { owner, ...stale } of await store.runs.claimStaleOfAll(staleMs, process)) {
    try {
      const own = owner === store.owner ? store : store.forOwner(owner);
      const one = await recoverRun({ ...recovery, store: own, actor: owner }, stale);
      if (one !== null) recovered.push(one);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
  return recovered;
}

async function recoverRun(recovery: RecoveryOptions, stale: Run): Promise<RecoveredReply | null> {
  const { store } = recovery;
  if (isTurnEventsRun(stale)) {
    await store.runs.end(stale.id);
    return null;
  }
  const chunks = await store.runs.chunks(stale.id);
  let saved: RecoveredReply | null = null;
  try {
    saved = await finishLostReply(
      recovery,
      stale.treeId,
      stale.nodeId,
      chunks.map((chunk) => chunk.text).join(''),
      actOfRun(stale),
    );
  } catch (error) {
    // The node was never inserted, or it or its tree was deleted meanwhile, so nothing can be recovered.
    if (!isAppError(error) || error.kind !== 'not-found') throw error;
  }
  await store.runs.end(stale.id);
  return saved;
}

function actOfRun(stale: Run): string | undefined {
  const { actId } = stale.data;
  return typeof actId === 'string' ? actId : undefined;
}

/**
 * Completes a pending node that no process writes any more, with the text that was stored. Returns null if the node is
 * not pending.
 */
export async function finishLostReply(
  recovery: Omit<RecoveryOptions, 'process' | 'staleMs'>,
  treeId: TreeId,
  nodeId: NodeId,
  text: string,
  actId?: string,
): Promise<RecoveredReply | null> {
  const { store, actor, now, newId, kit } = recovery;
  const node = await store.read(treeId, () => ask('node', { id: nodeId }));
  if (node === null || node.status !== 'pending') return null;
  const message = appendText(node.message, text);
  const hasContent = textOf(message).trim() !== '' || !message.content.every(isText);
  const status = hasContent ? 'interrupted' : 'error';
  const error = {
    code: 'generate/lost',
    kind: 'unavailable',
    message: 'The process that wrote this reply died; the text so far was kept.',
    retryable: true,
  };
  const outcome = await runCommand(
    store,
    { type: 'finish', treeId, nodeId, status, message, meta: { error } },
    { actor, now, newId, kit, ...(actId === undefined ? {} : { actId }) },
  );
  return outcome.result.changed ? { treeId, nodeId, status } : null;
}

/** Returns a message with `text` and the blocks of the continued reply that are not text. */
function appendText(before: Message | null, text: string): Message {
  if (before === null || before.content.every(isText))
    return textMessage('assistant', text === '' && before !== null ? textOf(before) : text);
  const known = textOf(before);
  if (!text.startsWith(known) || text.length === known.length) return before;
  const rest: TextBlock = { type: 'text', text: text.slice(known.length) };
  return { ...before, content: [...before.content, rest] };
}
