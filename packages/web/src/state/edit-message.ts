/** Rewriting a message, beside it or in its place, so that nobody's text is lost. */
import { messageKit } from '@coppice/content';
import type { Message, Node, NodeId, Step } from '@coppice/core';
import { t, tn } from '../i18n/index.ts';
import type { ShareView } from './api-types.ts';
import { refreshUnlessNavigated } from './following.ts';
import { asProblem } from './http.ts';
import type { TreeSession } from './session.ts';
import { showToast } from './toasts.ts';
import { insertMessage, isActUndoable, newNodeUuid, optimisticNode, runTreeWrite, showError } from './tree-actions.ts';

// A tree that changes at every try, though never this message, ends with both texts as well.
const mostTries = 4;

/** A message as its editor saw it when he began. */
export interface SeenContent {
  readonly node: Node;
  readonly version: number;
}

/** Edits a message: as a variant beside it, or in its place. Where another was faster, both texts stay. */
export async function editMessage(
  session: TreeSession,
  seen: SeenContent,
  content: Message['content'],
  mode: 'branch' | 'in-place',
): Promise<NodeId | null> {
  const { node } = seen;
  const message: Message = { role: node.role === 'root' ? 'user' : node.role, content };
  if (mode === 'in-place') return saveInPlace(session, seen, message);
  if (node.parentId === null) return null;
  const id = newNodeUuid();
  const changing = runTreeWrite(
    session,
    [insertMessage(optimisticNode(session, id, node.parentId, message, node.groupId))],
    (version) => session.api.edit(session.treeId, node.id, { content, mode: 'branch', id }, version),
    { icon: 'fork', text: t('branched') },
    id,
  );
  const follow = refreshUnlessNavigated(session);
  const written = await changing;
  if (written === null) return null;
  await follow(id, written.version);
  // What was written is written, whether or not the others could be looked for.
  await noticeRace(session, node, id, seen.version).catch(() => undefined);
  return id;
}

async function saveInPlace(
  session: TreeSession,
  seen: SeenContent,
  message: Message,
  tries = mostTries,
): Promise<NodeId | null> {
  const { node } = seen;
  const now = session.state.base?.nodes.get(node.id);
  // Nobody overwrites what he has not seen: it becomes a variant, so that neither text is lost.
  if (now !== undefined && now.contentIn !== node.contentIn) return keepBoth(session, seen, message);
  const shown: Step = {
    type: 'replace',
    nodeId: node.id,
    after: {
      message,
      status: 'success',
      key: null,
      text: messageKit.text(message),
      tokens: messageKit.tokens(message),
      aliases: [],
    },
    before: {
      message: node.message ?? message,
      status: node.status,
      key: node.key,
      text: node.text,
      tokens: node.tokens,
      aliases: node.aliases,
    },
    since: node.contentIn,
  };
  try {
    let outdated: readonly ShareView[] = [];
    const written = await session.perform([shown], async (version) => {
      const { content } = message;
      const edited = await session.api.edit(session.treeId, node.id, { content, mode: 'in-place' }, version);
      outdated = edited.outdatedShares ?? [];
      return edited;
    });
    if (outdated.length > 0) offerLinkUpdate(session, outdated);
    else showToast({ icon: 'edit', text: t('saved'), action: isActUndoable(session, written) });
    return node.id;
  } catch (thrown) {
    const problem = asProblem(thrown);
    if (problem.code !== 'tree/version-conflict') {
      showError(problem);
      return null;
    }
    await session.refresh();
    // What changed may be another message, or what we wrote before and the feed has not told of yet.
    const isSame = session.state.base?.nodes.get(node.id)?.contentIn === node.contentIn;
    if (isSame && tries > 1) return saveInPlace(session, seen, message, tries - 1);
    return keepBoth(session, seen, message);
  }
}

/** Offers to have links show the new text; until then they show the old one. */
function offerLinkUpdate({ api }: TreeSession, outdated: readonly ShareView[]): void {
  const update = async () => {
    try {
      for (const { id } of outdated) await api.updateShare(id);
      showToast({ icon: 'share', text: tn('linksUpdated', outdated.length) });
    } catch (thrown) {
      showError(asProblem(thrown));
    }
  };
  const action = { label: tn('updateLinks', outdated.length), run: () => void update() };
  showToast({ icon: 'share', text: tn('savedButLinks', outdated.length), action });
}

async function keepBoth(session: TreeSession, seen: SeenContent, message: Message): Promise<NodeId | null> {
  await session.refresh();
  const id = await editMessage(session, seen, message.content, 'branch');
  if (id !== null) session.conflict(id, seen.node.id);
  return id;
}

/** Looks whether somebody else put a variant beside the same message since a version; both are then pointed out. */
async function noticeRace(
  session: TreeSession,
  node: Pick<Node, 'parentId'>,
  mine: NodeId,
  since: number,
): Promise<void> {
  const { part } = session.state;
  const ids = node.parentId === null ? [] : (part?.childrenByParent.get(node.parentId) ?? []);
  if (ids.length < 3) return;
  const { nodes } = await session.api.siblings(session.treeId, mine);
  const other = nodes.findLast((each) => each.id !== mine && each.addedIn > since);
  if (other !== undefined) session.conflict(mine, other.id);
}
