import { type LoadedBranch, listSourceNotices, type SourceNotice } from '@coppice/client';
import type { Node } from '@coppice/core';

/** Identifies a notice by everything except its count, which grows with the branch. */
function keyOf({ code, data }: SourceNotice): string {
  const { count: _count, ...rest } = data;
  return JSON.stringify([code, rest]);
}

/** Returns the reply before a message on its branch, as far as it is loaded. */
export function findReplyBefore(part: Pick<LoadedBranch, 'nodes'> | null, node: Node): Node | null {
  for (
    let above = node.parentId === null ? undefined : part?.nodes.get(node.parentId);
    above !== undefined;
    above = above.parentId === null ? undefined : part?.nodes.get(above.parentId)
  )
    if (above.role === 'assistant') return above;
  return null;
}

/**
 * Returns the notices to show below a reply. Those that the reply before it has too are left out: a file is sent again
 * with every later message. So is earlier thinking that was not sent, because most APIs refuse it.
 */
export function listShownNotices(node: Pick<Node, 'meta'>, before: Pick<Node, 'meta'> | null): readonly SourceNotice[] {
  const known = new Set(before === null ? [] : listSourceNotices(before).map(keyOf));
  return listSourceNotices(node).filter(
    (notice) =>
      !known.has(keyOf(notice)) && (notice.code !== 'notice/block-changed' || notice.data.blockType !== 'thinking'),
  );
}
