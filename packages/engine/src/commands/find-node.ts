/** From what somebody typed to a node. */
import { ask, type Bookmark, type Node, type NodeId, nodeId, type Reading, readTree, type TreeId } from '@coppice/core';
import type { CommandScope } from './contract.ts';
import { commandError } from './errors.ts';
import { nearest } from './nearest.ts';
import { quote, shortId } from './say.ts';

/** Words that stand for a place; a label cannot take them. */
export const placeWords: ReadonlyMap<string, string> = new Map([
  ['@here', 'where you are'],
  ['@start', 'before the first message'],
]);

/** A node by id, number of the last list, label, or a unique part of its id; null for the place before the first message. */
export async function findPlace(
  scope: CommandScope,
  typed: string,
  treeId: TreeId = scope.treeId,
): Promise<Node | null> {
  const text = typed.trim();
  if (text === '@start' || (text === '@here' && scope.activeNodeId === null)) return null;
  const wanted = text === '@here' && scope.activeNodeId !== null ? scope.activeNodeId : nodeId(text);
  const number = /^#?(\d{1,6})$/.exec(text)?.[1];
  const listed = number === undefined ? undefined : scope.list[Number(number) - 1];
  const found = await scope.store.read(treeId, function* (): Reading<Node | Missing> {
    const { rootId } = yield* readTree(treeId);
    const exact = yield* ask('node', { id: treeId === scope.treeId ? (listed ?? wanted) : wanted });
    if (exact !== null && exact.parentId !== null) return exact;
    const { bookmarks } = yield* ask('inside', { of: rootId });
    const labelled = byLabel(bookmarks, text);
    if (labelled.length > 1) return { code: 'command/ambiguous', ids: labelled };
    const part = /^[0-9a-f-]{4,36}$/i.test(text) ? text.toLowerCase() : null;
    const ids = labelled.length > 0 || part === null ? labelled : yield* byPart(rootId, part);
    const [only] = ids;
    const node = ids.length === 1 && only !== undefined ? yield* ask('node', { id: only }) : null;
    if (node !== null) return node;
    return ids.length > 1
      ? { code: 'command/ambiguous', ids }
      : {
          code: 'command/no-such-node',
          ids: [],
          near: nearest(
            text,
            bookmarks.map((mark) => mark.title),
          ),
        };
  });
  if ('code' in found) throw refusalOf(text, found, scope.list.length);
  return found;
}

/** As {@link findPlace}, for what needs a message or a marker. */
export async function findNode(scope: CommandScope, typed: string, treeId?: TreeId): Promise<Node> {
  const node = await findPlace(scope, typed, treeId);
  if (node !== null) return node;
  throw commandError('command/no-such-node', 'There is no message before the first one: name another node.', {});
}

interface Missing {
  readonly code: 'command/ambiguous' | 'command/no-such-node';
  readonly ids: readonly NodeId[];
  readonly near?: string | undefined;
}

function byLabel(bookmarks: readonly Bookmark[], text: string): NodeId[] {
  const same = bookmarks.filter((mark) => mark.title === text);
  const alike = same.length > 0 ? same : bookmarks.filter((mark) => mark.title.toLowerCase() === text.toLowerCase());
  return alike.map((mark) => mark.nodeId);
}

/** Nodes whose id begins so, or else ends so: ids made in the same minute begin alike, and lists show their ends. */
function* byPart(rootId: NodeId, part: string): Reading<NodeId[]> {
  const nodes = yield* ask('topology', { of: rootId });
  const begin = nodes.filter((node) => node.id.startsWith(part));
  return (begin.length > 0 ? begin : nodes.filter((node) => node.id.endsWith(part))).map((node) => node.id);
}

function refusalOf(text: string, { code, ids, near }: Missing, listed: number) {
  const shown = quote(text);
  if (code === 'command/ambiguous') {
    const some = ids.slice(0, 5).map(shortId).join(', ');
    const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
    return commandError(code, `${shown} stands for ${ids.length} nodes: ${some}${more}. Give more of the id.`, { ids });
  }
  if (near !== undefined)
    return commandError(code, `There is no node ${shown}; did you mean the label ${quote(near)}?`, { label: near });
  const numbers = listed === 0 ? '' : `, a number from 1 to ${listed}`;
  return commandError(
    code,
    `There is no node ${shown}. A node is named by its id, four or more characters of it, its label${numbers}; /branches lists some.`,
    {},
  );
}
