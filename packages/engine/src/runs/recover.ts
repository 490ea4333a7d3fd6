/** Saves what runs had written whose process is gone. */
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

/** What recovery needs to know. */
export interface Recovery extends Pick<RunContext, 'actor' | 'now' | 'newId' | 'kit'> {
  readonly store: Store;
  /** Names this process among those that may recover. */
  readonly process: string;
  /** How long a run may be silent, in milliseconds. */
  readonly staleMs: number;
}

/** A reply that was cut short by a crash, as it stands now. */
export interface Recovered {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly status: 'interrupted' | 'error';
}

/**
 * Takes over runs that have been silent for too long: their chunks become the text of their nodes, with status
 * `interrupted` (`error` where nothing was said). Of several processes that try, each run goes to one.
 */
export async function recoverRuns(recovery: Recovery): Promise<readonly Recovered[]> {
  const { store, staleMs, process } = recovery;
  const recovered: Recovered[] = [];
  for (const stale of await store.runs.claimStale(staleMs, process)) {
    const one = await recoverRun(recovery, stale);
    if (one !== null) recovered.push(one);
  }
  return recovered;
}

async function recoverRun(recovery: Recovery, stale: Run): Promise<Recovered | null> {
  const { store } = recovery;
  const chunks = await store.runs.chunks(stale.id);
  let saved: Recovered | null = null;
  try {
    saved = await finishLostReply(
      recovery,
      stale.treeId,
      stale.nodeId,
      chunks.map((chunk) => chunk.text).join(''),
      actOfRun(stale),
    );
  } catch (error) {
    // The run began and its node never came to be, or tree or node are gone since: there is nothing to save it in.
    if (!isAppError(error) || error.kind !== 'not-found') throw error;
  }
  await store.runs.end(stale.id);
  return saved;
}

function actOfRun(stale: Run): string | undefined {
  const { actId } = stale.data;
  return typeof actId === 'string' ? actId : undefined;
}

/** Ends a pending node of which nobody writes any more, with the text that was put down; null if it is not pending. */
export async function finishLostReply(
  recovery: Omit<Recovery, 'process' | 'staleMs'>,
  treeId: TreeId,
  nodeId: NodeId,
  text: string,
  actId?: string,
): Promise<Recovered | null> {
  const { store, actor, now, newId, kit } = recovery;
  const node = await store.read(treeId, () => ask('node', { id: nodeId }));
  if (node === null || node.status !== 'pending') return null;
  const message = appendText(node.message, text);
  const said = textOf(message).trim() !== '' || !message.content.every(isText);
  const status = said ? 'interrupted' : 'error';
  const error = {
    code: 'generate/lost',
    kind: 'unavailable',
    message: 'The process that wrote this reply is gone; what it had put down was kept.',
    retryable: true,
  };
  const outcome = await runCommand(
    store,
    { type: 'finish', treeId, nodeId, status, message, meta: { error } },
    { actor, now, newId, kit, ...(actId === undefined ? {} : { actId }) },
  );
  return outcome.result.changed ? { treeId, nodeId, status } : null;
}

/** A message that says `text`, keeping the other blocks of what was there: a continued reply had some already. */
function appendText(before: Message | null, text: string): Message {
  if (before === null || before.content.every(isText))
    return textMessage('assistant', text === '' && before !== null ? textOf(before) : text);
  const known = textOf(before);
  if (!text.startsWith(known) || text.length === known.length) return before;
  const rest: TextBlock = { type: 'text', text: text.slice(known.length) };
  return { ...before, content: [...before.content, rest] };
}
