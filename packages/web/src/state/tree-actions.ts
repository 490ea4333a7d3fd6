/** The user's actions on an open tree. Each reports what it did and offers to undo it. */
import {
  type EditableTreeAttributes,
  type HttpProblem,
  type TreeSession,
  toHttpProblem,
  type WriteResponse,
} from '@coppice/client';
import { type Message, type Node, type NodeId, nodeId } from '@coppice/core';
import { t, tn } from '../i18n/index.ts';
import { localizeError } from '../i18n/refusals.ts';
import { formatChord } from '../keys/chords.ts';
import { currentModels, loadTrees, updateListedTree, useAppData } from './app-data.ts';
import { pageClient } from './page-client.ts';
import { showToast } from './toasts.ts';
import { useUi } from './ui.ts';

/** Creates a node id on the page, so that sending a message twice does not add it twice. */
export function createNodeId(): NodeId {
  return nodeId(pageClient.newId());
}

/** Shows the error of an action as a toast. */
export function showError(problem: HttpProblem): void {
  // An aborted request needs no message, and for an expired session the page shows the sign-in.
  if (problem.code === 'page/aborted' || problem.signedOut) return;
  // The browser's own message about an unreachable server is not helpful.
  const { said, english } = problem.offline ? { said: t('serverAway') } : localizeError(problem);
  showToast({ icon: 'warn', text: said, english, bad: true });
}

/** Undoes an act, by default the user's newest one, and reports the result. */
export async function undoAct(session: TreeSession, actId?: string): Promise<void> {
  try {
    await session.actions.undo(actId);
    showToast({
      icon: 'undo',
      text: t('undone'),
      action: { label: t('redo'), keys: formatChord('shift+mod+z'), run: () => void redoAct(session) },
    });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Redoes the act that was undone last, and reports the result. */
export async function redoAct(session: TreeSession): Promise<void> {
  try {
    await session.actions.redo();
    showToast({ icon: 'again', text: t('redone') });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Makes the toast button that undoes a write. */
export function makeUndoButton(
  session: TreeSession,
  written: WriteResponse,
): { label: string; keys: string; run(): void } {
  return { label: t('undo'), keys: formatChord('mod+z'), run: () => void undoAct(session, written.actId) };
}

type Report = Pick<Parameters<typeof showToast>[0], 'icon' | 'text'>;

/** Waits for a write and reports it; null if it was refused. */
async function reportWrite(
  session: TreeSession,
  writing: Promise<WriteResponse>,
  report: Report | null,
): Promise<WriteResponse | null> {
  try {
    const written = await writing;
    if (report !== null) showToast({ ...report, action: makeUndoButton(session, written) });
    return written;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return null;
  }
}

/** Adds a message below a node without generating a reply. False if it was refused. */
export async function appendWithoutReply(
  session: TreeSession,
  parentId: NodeId,
  message: Message,
  id = createNodeId(),
): Promise<boolean> {
  return (await reportWrite(session, session.actions.append(message, { parentId, id }), null)) !== null;
}

/** Deletes a message: alone, with everything below, or its whole group. */
export async function removeMessages(
  session: TreeSession,
  node: Node,
  mode: 'splice' | 'cascade' | 'group',
  count: number,
): Promise<void> {
  await reportWrite(session, session.actions.remove(node.id, mode), { icon: 'trash', text: tn('deleted', count) });
}

/** Switches to a variant. Its loaded messages appear immediately and fade in. */
export function switchToVariant(session: TreeSession, id: NodeId): void {
  useUi.setState({ switchedAt: performance.now() });
  session.go(id).catch((thrown) => showError(toHttpProblem(thrown)));
}

/** Joins a message with its only child, if both are text of one role. */
export async function joinMessageWithNext(session: TreeSession, node: Node): Promise<void> {
  await reportWrite(session, session.actions.join(node.id), { icon: 'merge', text: t('joinDone') });
}

/** Splits a message in two at an offset of its text: the second half keeps the children. */
export async function splitShownMessage(session: TreeSession, node: Node, position: number): Promise<boolean> {
  const report: Report = { icon: 'cut', text: t('splitDone') };
  return (await reportWrite(session, session.actions.split(node.id, position), report)) !== null;
}

/** Sets, renames or removes (null) the bookmark on a message. */
export async function setBookmark(session: TreeSession, id: NodeId, title: string | null): Promise<void> {
  const report: Report =
    title === null ? { icon: 'mark', text: t('unbookmarked') } : { icon: 'markon', text: t('bookmarked') };
  await reportWrite(session, session.actions.setBookmark(id, title), report);
}

/** Sets metadata of a message, such as that it is not sent to models. */
export async function annotateMessage(
  session: TreeSession,
  node: Node,
  set: Readonly<Record<string, unknown>>,
  text: string,
): Promise<void> {
  await reportWrite(session, session.actions.annotate(node, set), { icon: 'edit', text });
}

/** Sets the title of a message, which names its branch; an empty title removes it. */
export async function setMessageTitle(session: TreeSession, node: Node, title: string): Promise<void> {
  await reportWrite(session, session.actions.setMessageTitle(node, title), { icon: 'edit', text: t('titled') });
}

/** Sets all tags of a message; an empty list removes them. */
export async function setMessageTags(session: TreeSession, node: Node, tags: readonly string[]): Promise<void> {
  await reportWrite(session, session.actions.setTags(node, tags), { icon: 'tag', text: t('tagged') });
}

/** Changes title, tags, folder or pin of the tree, here and in the list of trees. */
export async function patchTree(session: TreeSession, set: EditableTreeAttributes, text: string): Promise<void> {
  const before = session.actions.attributesBefore(set);
  updateListedTree(session.treeId, set);
  const written = await reportWrite(session, session.actions.setAttributes(set), { icon: 'edit', text });
  if (written === null) updateListedTree(session.treeId, before);
  void loadTrees();
}

/** Copies a message to the end of the shown branch. */
export async function cherryPickMessage(session: TreeSession, id: NodeId): Promise<void> {
  await reportWrite(session, session.actions.cherryPick(id), { icon: 'pick', text: t('copiedToBranch') });
}

/** Merges another branch into the shown one: as a summary, or message by message. */
export async function mergeBranchInto(
  session: TreeSession,
  id: NodeId,
  mode: 'summary' | 'messages',
  summary?: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const options = { ...(summary === undefined ? {} : { summary }), ...(signal === undefined ? {} : { signal }) };
  const report: Report = { icon: 'merge', text: t('merged') };
  return (await reportWrite(session, session.actions.merge(id, mode, options), report)) !== null;
}

/** Moves a message with everything below it under another parent. */
export async function moveMessages(session: TreeSession, id: NodeId, parentId: NodeId): Promise<void> {
  await reportWrite(session, session.actions.move(id, parentId), { icon: 'map', text: t('moved') });
}

/** Summarises older messages, so that less is sent to the model. */
export async function compactShownBranch(session: TreeSession, focus?: string): Promise<boolean> {
  // The compaction uses the context window of the selected model, which the context screen shows.
  const [model] = currentModels(useAppData.getState());
  const options = { ...(focus === undefined ? {} : { focus }), ...(model === undefined ? {} : { model }) };
  const report: Report = { icon: 'layers', text: t('compacted') };
  return (await reportWrite(session, session.actions.compact(options), report)) !== null;
}

/** Restores an earlier version of the tree, as a new version. */
export async function restoreTreeVersion(session: TreeSession, past: number): Promise<boolean> {
  const report: Report = { icon: 'clock', text: t('restoredVersion', { n: past }) };
  return (await reportWrite(session, session.actions.restoreVersion(past), report)) !== null;
}

/** Removes the summary of a compaction: older messages are sent in full again. */
export async function undoCompaction(session: TreeSession, node: Node): Promise<void> {
  await reportWrite(session, session.actions.undoCompaction(node.id), { icon: 'undo', text: t('compactionUndone') });
}
