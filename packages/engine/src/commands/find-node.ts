/** Resolves what the user typed to a node. */

import { ask, type Node, type NodeId, nodeId, type ReadProgram, readTree, type TreeId } from '@coppice/core';
import { findNearestName } from '@coppice/core/decode';
import type { CommandScope } from './contract.ts';
import { makeCommandError } from './errors.ts';
import { quoteBeginning, shortenId } from './format.ts';
import { findNodeAbove, findNodesByReference, parsePositionWord } from './node-references.ts';

/**
 * Resolves a node by id, number in the last list, label, part of its id, position word, or external id (for example
 * the entry id in a session file). Null is the position before the first message.
 */
export async function findCommandPosition(
  scope: CommandScope,
  typed: string,
  treeId: TreeId = scope.treeId,
): Promise<Node | null> {
  const text = typed.trim();
  const own = treeId === scope.treeId;
  const number = /^#?(\d{1,6})$/.exec(text)?.[1];
  const listed = number === undefined || !own ? undefined : scope.list[Number(number) - 1];
  const found = await scope.store.read(treeId, function* (): ReadProgram<Node | MissingNode | null> {
    const { rootId, activeNodeId } = yield* readTree(treeId);
    const place = parsePositionWord(text);
    if (place !== null) {
      const at = place === 'start' ? null : yield* findNodeAbove(own ? scope.activeNodeId : activeNodeId, place.above);
      return at === null ? null : yield* ask('node', { id: at });
    }
    const exact = yield* ask('node', { id: listed ?? nodeId(text) });
    if (exact !== null && exact.parentId !== null) return exact;
    const { ids, labels } = yield* findNodesByReference(rootId, text);
    const [only] = ids;
    const node = ids.length === 1 && only !== undefined ? yield* ask('node', { id: only }) : null;
    if (node !== null) return node;
    return ids.length > 1
      ? { code: 'command/ambiguous', ids }
      : { code: 'command/no-such-node', ids: [], near: findNearestName(text, labels) };
  });
  if (found === null || !('code' in found)) return found;
  const foreign = await findNodeByExternalId(scope, text, treeId);
  if (foreign === null) throw missingNodeError(text, found, scope.list.length);
  return foreign;
}

/** Returns the node with an external id; null if no node or more than one has it, or if the node is deleted. */
async function findNodeByExternalId({ store }: CommandScope, id: string, treeId: TreeId): Promise<Node | null> {
  const ids = new Set<NodeId>();
  for (const name of await store.externalIdsOf(treeId))
    if (name.id === id && name.nodeId !== null) ids.add(name.nodeId);
  const [only] = ids;
  if (only === undefined || ids.size > 1) return null;
  const node = await store.read(treeId, () => ask('node', { id: only }));
  return node === null || node.parentId === null ? null : node;
}

/** Like {@link findCommandPosition}, but requires a node. */
export async function findNodeByName(scope: CommandScope, typed: string, treeId?: TreeId): Promise<Node> {
  const node = await findCommandPosition(scope, typed, treeId);
  if (node !== null) return node;
  throw makeCommandError('command/no-such-node', 'There is no message before the first one. Name another message.', {});
}

interface MissingNode {
  readonly code: 'command/ambiguous' | 'command/no-such-node';
  readonly ids: readonly NodeId[];
  readonly near?: string | undefined;
}

function missingNodeError(text: string, { code, ids, near }: MissingNode, listed: number) {
  const shown = quoteBeginning(text);
  if (code === 'command/ambiguous') {
    const some = ids.slice(0, 5).map(shortenId).join(', ');
    const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
    return makeCommandError(
      code,
      `${shown} matches ${ids.length} messages: ${some}${more}. Give more characters of the id.`,
      {
        ids,
      },
    );
  }
  if (near !== undefined)
    return makeCommandError(code, `There is no message ${shown}; did you mean the bookmark ${quoteBeginning(near)}?`, {
      label: near,
    });
  const last = listed === 0 ? ' or its bookmark' : `, its bookmark, or a number from 1 to ${listed}`;
  return makeCommandError(
    code,
    `There is no message ${shown}. Name a message by four or more characters of its id${last}. /branches lists some.`,
    {},
  );
}
