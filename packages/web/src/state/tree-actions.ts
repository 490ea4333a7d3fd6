/** What a user can do to an open tree. Each shows at once, says what it did and offers the way back. */
import { messageKit } from '@coppice/content';
import { type Bookmark, type Message, type NewNode, type Node, type NodeId, nodeId, type Step } from '@coppice/core';
import { t, tn } from '../i18n/index.ts';
import { localizeError } from '../i18n/refusals.ts';
import { shownChord } from '../keys/chords.ts';
import type { TreeViewData, WrittenAnswer } from './api-types.ts';
import { loadTrees, modelsNow, patchListed, useAppData } from './app-data.ts';
import { refreshUnlessNavigated } from './following.ts';
import { asProblem, type HttpProblem } from './http.ts';
import { newUuid } from './new-uuid.ts';
import type { TreeSession } from './session.ts';
import { showToast } from './toasts.ts';
import { useUi } from './ui.ts';

/** A fresh id; chosen here, so that sending twice is harmless. */
export function newNodeUuid(): NodeId {
  return nodeId(newUuid());
}

/** Says why something was not done. */
export function showError(problem: HttpProblem): void {
  if (problem.code === 'page/aborted') return;
  // What a browser says of a server that is away is no sentence for anybody.
  const { said, english } = problem.offline ? { said: t('serverAway') } : localizeError(problem);
  showToast({ icon: 'warn', text: said, english, bad: true });
}

/** Takes back an act, or the newest one. */
export async function undoAct(session: TreeSession, actId?: string): Promise<void> {
  const follow = refreshUnlessNavigated(session);
  try {
    const answer = await session.perform([], (version) =>
      session.api.undo(session.treeId, actId === undefined ? {} : { actId }, version),
    );
    await follow(answer.activeNodeId, answer.version);
    showToast({
      icon: 'undo',
      text: t('undone'),
      action: { label: t('redo'), keys: shownChord('shift+mod+z'), run: () => void redoAct(session) },
    });
  } catch (thrown) {
    showError(asProblem(thrown));
  }
}

/** Does again what was taken back. */
export async function redoAct(session: TreeSession): Promise<void> {
  const follow = refreshUnlessNavigated(session);
  try {
    const answer = await session.perform([], (version) => session.api.redo(session.treeId, version));
    await follow(answer.activeNodeId, answer.version);
    showToast({ icon: 'again', text: t('redone') });
  } catch (thrown) {
    showError(asProblem(thrown));
  }
}

/** The button that takes back what was written. */
export function isActUndoable(
  session: TreeSession,
  written: WrittenAnswer,
): { label: string; keys: string; run(): void } {
  return { label: t('undo'), keys: shownChord('mod+z'), run: () => void undoAct(session, written.actId) };
}

/** Runs a change and tells; the answer is null where it was refused. */
export async function runTreeWrite(
  session: TreeSession,
  steps: readonly Step[],
  run: (version: number) => Promise<WrittenAnswer>,
  reported: { readonly icon: Parameters<typeof showToast>[0]['icon']; readonly text: string } | null,
  leaf?: NodeId,
): Promise<WrittenAnswer | null> {
  try {
    const written = await session.perform(steps, run, leaf);
    if (reported !== null) showToast({ ...reported, action: isActUndoable(session, written) });
    return written;
  } catch (thrown) {
    showError(asProblem(thrown));
    return null;
  }
}

/** A node as it will be, for showing it before the server has it. */
export function optimisticNode(
  session: TreeSession,
  id: NodeId,
  parentId: NodeId,
  message: Message,
  groupId = 0,
): NewNode {
  const parent = session.state.part?.nodes.get(parentId);
  return {
    id,
    parentId,
    // After every key that a planner makes, so that it comes last until its own is known.
    position: '~',
    kind: 'message',
    status: 'success',
    groupId,
    createdAt: Date.now(),
    matchParent: parent === undefined || parent.kind === 'message' ? parentId : parent.matchParent,
    key: null,
    tokens: messageKit.tokens(message),
    message,
    text: messageKit.text(message),
    meta: {},
    marker: null,
    aliases: [],
  };
}

/** The step that shows a new node. */
export function insertMessage(node: NewNode): Step {
  return { type: 'insert', node };
}

/** Puts a message below a node without having it answered. */
export async function appendWithoutReply(
  session: TreeSession,
  parentId: NodeId,
  message: Message,
  id = newNodeUuid(),
): Promise<boolean> {
  const written = await runTreeWrite(
    session,
    [insertMessage(optimisticNode(session, id, parentId, message))],
    (version) =>
      session.api.append(
        session.treeId,
        { parentId, messages: [{ id, role: 'user', content: message.content }] },
        version,
      ),
    null,
    id,
  );
  return written !== null;
}

/** Deletes a message: alone, with all that follows, or its whole group. */
export async function removeMessages(
  session: TreeSession,
  node: Node,
  mode: 'splice' | 'cascade' | 'group',
  count: number,
): Promise<void> {
  const follow = refreshUnlessNavigated(session);
  const steps: Step[] = mode === 'cascade' ? [{ type: 'remove', nodeId: node.id }] : [];
  const written = await runTreeWrite(
    session,
    steps,
    (version) => session.api.remove(session.treeId, node.id, mode, version),
    {
      icon: 'trash',
      text: tn('deleted', count),
    },
  );
  if (written !== null) await follow(mode === 'cascade' ? written.activeNodeId : undefined, written.version);
}

/** Goes to a variant: what is loaded of it shows at once, and fades in. */
export function switchTo(session: TreeSession, id: NodeId): void {
  useUi.setState({ switchedAt: performance.now() });
  session.go(id).catch((thrown) => showError(asProblem(thrown)));
}

/** Splits a message in two at an offset of its text: the first half takes its place, the second keeps what grew from it. */
export async function splitInto(session: TreeSession, node: Node, position: number): Promise<boolean> {
  const written = await runTreeWrite(
    session,
    [],
    (version) => session.api.split(session.treeId, node.id, position, version),
    {
      icon: 'cut',
      text: t('splitDone'),
    },
  );
  if (written !== null) await session.catchUp(written.version);
  return written !== null;
}

/** Sets, retitles or takes away the bookmark on a node. */
export async function setBookmark(session: TreeSession, id: NodeId, title: string | null): Promise<void> {
  const before = session.state.part?.bookmarks.get(id) ?? null;
  const now = Date.now();
  const after: Bookmark | null =
    title === null ? null : { nodeId: id, title, createdAt: before?.createdAt ?? now, updatedAt: now };
  await runTreeWrite(
    session,
    [{ type: 'bookmark', nodeId: id, after, before }],
    () =>
      title === null ? session.api.unbookmark(session.treeId, id) : session.api.bookmark(session.treeId, id, title),
    { icon: title === null ? 'mark' : 'markon', text: title === null ? t('unbookmarked') : t('bookmarked') },
  );
}

/** Notes something about a node, such as that no model is to see it. */
export async function annotateMessage(
  session: TreeSession,
  node: Node,
  set: Readonly<Record<string, unknown>>,
  text: string,
): Promise<void> {
  const before = Object.fromEntries(Object.keys(set).map((key) => [key, node.meta[key] ?? null]));
  await runTreeWrite(
    session,
    [{ type: 'annotate', nodeId: node.id, after: set, before }],
    () => session.api.annotate(session.treeId, node.id, set),
    { icon: 'edit', text },
  );
}

/** Gives a node its title. */
export async function setTitle(session: TreeSession, node: Node, title: string): Promise<void> {
  await runTreeWrite(
    session,
    [{ type: 'annotate', nodeId: node.id, after: { title }, before: { title: node.meta.title ?? null } }],
    () => session.api.title(session.treeId, node.id, title),
    { icon: 'edit', text: t('titled') },
  );
}

/** Gives a node its tags. */
export async function setTags(session: TreeSession, node: Node, tags: readonly string[]): Promise<void> {
  await runTreeWrite(
    session,
    [{ type: 'annotate', nodeId: node.id, after: { tags }, before: { tags: node.meta.tags ?? null } }],
    () => session.api.tag(session.treeId, node.id, tags),
    { icon: 'tag', text: t('tagged') },
  );
}

/** What is noted about a tree: its title, tags, folder and pin. */
export type TreeNotes = Pick<Partial<TreeViewData>, 'title' | 'tags' | 'folder' | 'pinned'>;

/** Notes something about the tree itself. It shows at once here and in the list, and can be taken back. */
export async function patchTree(session: TreeSession, set: TreeNotes, text: string): Promise<void> {
  const tree = session.state.part?.tree;
  if (tree === undefined) return;
  const before: TreeNotes = {
    ...(set.title === undefined ? {} : { title: tree.title }),
    ...(set.tags === undefined ? {} : { tags: tree.tags }),
    ...(set.folder === undefined ? {} : { folder: tree.folder }),
    ...(set.pinned === undefined ? {} : { pinned: tree.pinned }),
  };
  patchListed(tree.id, set);
  const step: Step = { type: 'attributes', after: set, before };
  const written = await runTreeWrite(session, [step], () => session.api.patch(session.treeId, set), {
    icon: 'edit',
    text,
  });
  if (written === null) patchListed(tree.id, before);
  void loadTrees();
}

/** Copies a message to the end of this view's branch. */
export async function cherryPickMessage(session: TreeSession, id: NodeId): Promise<void> {
  const leaf = session.state.part?.leaf ?? null;
  const follow = refreshUnlessNavigated(session);
  const written = await runTreeWrite(
    session,
    [],
    (version) =>
      session.api.cherryPick(session.treeId, { nodeId: id, ...(leaf === null ? {} : { parentId: leaf }) }, version),
    { icon: 'pick', text: t('picked') },
  );
  if (written !== null) await follow(written.activeNodeId, written.version);
}

/** Brings a side branch back to this view's branch: as a summary, or message by message. */
export async function mergeBranchInto(
  session: TreeSession,
  id: NodeId,
  mode: 'summary' | 'messages',
  summary?: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const leaf = session.state.part?.leaf ?? null;
  const words = summary === undefined || summary === '' ? {} : { summary };
  const body = { nodeId: id, mode, ...words, ...(leaf === null ? {} : { into: leaf }) };
  const follow = refreshUnlessNavigated(session);
  const written = await runTreeWrite(
    session,
    [],
    (version) => session.api.merge(session.treeId, body, version, signal),
    {
      icon: 'merge',
      text: t('merged'),
    },
  );
  if (written !== null) await follow(written.nodes.at(-1)?.id ?? written.activeNodeId, written.version);
  return written !== null;
}

/** Hangs a branch elsewhere. */
export async function moveMessages(session: TreeSession, id: NodeId, parentId: NodeId): Promise<void> {
  const written = await runTreeWrite(
    session,
    [],
    (version) => session.api.move(session.treeId, id, { parentId }, version),
    {
      icon: 'map',
      text: t('moved'),
    },
  );
  if (written !== null) await session.catchUp(written.version);
}

/** Sums up older messages to make room. */
export async function compactHere(session: TreeSession, focus?: string): Promise<boolean> {
  const send = (version: number) => {
    const leaf = session.state.part?.leaf ?? null;
    // By the window that the inspector shows: that of the model which is going to be asked.
    const [model] = modelsNow(useAppData.getState());
    const body = {
      ...(leaf === null ? {} : { nodeId: leaf }),
      ...(model === undefined ? {} : { model }),
      ...(focus === undefined || focus === '' ? {} : { focus }),
    };
    return session.api.compact(session.treeId, body, version);
  };
  const follow = refreshUnlessNavigated(session);
  const written = await runTreeWrite(session, [], send, { icon: 'layers', text: t('compacted') });
  if (written !== null) await follow(written.activeNodeId, written.version);
  return written !== null;
}

/** Makes the tree what it was at a version, as a new version. */
export async function restoreTreeVersion(session: TreeSession, past: number): Promise<boolean> {
  const follow = refreshUnlessNavigated(session);
  const written = await runTreeWrite(
    session,
    [],
    (version) => session.api.restoreVersion(session.treeId, past, version),
    {
      icon: 'clock',
      text: t('restoredVersion', { n: past }),
    },
  );
  if (written !== null) await follow(written.activeNodeId, written.version);
  return written !== null;
}

/** Takes a compaction back: its summary goes, and older messages are sent word by word again. */
export async function undoCompaction(session: TreeSession, node: Node): Promise<void> {
  const written = await runTreeWrite(
    session,
    [],
    (version) => session.api.remove(session.treeId, node.id, 'splice', version),
    {
      icon: 'undo',
      text: t('compactionUndone'),
    },
  );
  if (written !== null) await session.catchUp(written.version);
}
