/** The routes for data that lists show besides the rows of trees: silhouettes and bookmarks. */
import {
  ask,
  isText,
  type Node,
  type NodeId,
  type ParentLink,
  type ReadProgram,
  readTree,
  refuse,
  type Silhouette,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { silhouetteOf } from '@coppice/core/tree';
import { z } from '@hono/zod-openapi';
import { resolveTree } from '../../resolve-tree.ts';
import { readNodes } from '../../tree-view.ts';
import { listOfSchema, nodeIdSchema, pageLimitSchema, roleSchema, treeIdSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const maxTrees = 100;
const maxCachedShapes = 2_000;

/** The position of the user in a tree: the title of the branch, its first question, and its last text. */
interface ShapePosition {
  readonly on: string | null;
  readonly first: string;
  readonly words: string;
}

interface CachedShape {
  readonly version: number;
  readonly shape: Silhouette;
  readonly place: ShapePosition;
}

const maxTextLength = 200;

// A reply that failed or has just started has no text. Then the text of an earlier message is shown.
const checkedMessages = 4;
// A bookmark that is further up does not describe the current branch.
const maxBookmarkDistance = 200;

/** Returns the text of a message without the thinking of the model, unless the message has no other text. */
function shownText({ message, text }: Pick<Node, 'message' | 'text'>): string {
  const texts = (message?.content ?? []).filter(isText).map((block) => block.text);
  return texts.length === 0 ? text : texts.join('\n');
}

// A branch may begin with a system prompt, or with a message of the model.
const checkedFirstMessages = 4;

/**
 * Reads the text of the user's first message on the path to a node. Empty if the user wrote none of the first messages
 * of the path.
 */
function* readFirstQuestion(links: readonly ParentLink[], rootId: NodeId, activeId: NodeId): ReadProgram<string> {
  const parents = new Map(links.map(({ id, parentId }) => [id, parentId]));
  const top: NodeId[] = [];
  for (let at: NodeId | null | undefined = activeId; at !== undefined && at !== null && at !== rootId; ) {
    top.push(at);
    const parent: NodeId | null | undefined = parents.get(at);
    // Deleted, so that the walk also ends if the links contain a cycle.
    parents.delete(at);
    at = parent;
  }
  const to = top[Math.max(0, top.length - checkedFirstMessages)];
  if (to === undefined) return '';
  const { nodes } = yield* ask('path', { to, limit: checkedFirstMessages });
  const first = nodes.find((node) => node.role === 'user' && node.text.trim() !== '');
  return first === undefined ? '' : shownText(first).slice(0, maxTextLength);
}

function* readShapePosition(activeId: NodeId | null): ReadProgram<Omit<ShapePosition, 'first'>> {
  if (activeId === null) return { on: null, words: '' };
  const { nodes } = yield* ask('path', { to: activeId, limit: checkedMessages });
  const last = nodes.findLast((node) => node.meta.title !== undefined || node.text.trim() !== '');
  if (last === undefined) return { on: null, words: '' };
  const { entries: notes } = yield* ask('pathMeta', { to: last.id, limit: maxBookmarkDistance });
  const marks = yield* ask('bookmarks', { on: notes.map((note) => note.id) });
  const titles = new Map(marks.map((mark) => [mark.nodeId, mark.title]));
  const names = notes.map((note) => titles.get(note.id) ?? (note.id === last.id ? undefined : note.meta.title));
  const on = names.findLast((name) => name !== undefined) ?? null;
  return { on, words: (last.meta.title ?? shownText(last)).slice(0, maxTextLength) };
}

// Cached silhouettes. The silhouette of a large tree is computed once per version, not for every request.
const cachedShapes = new WeakMap<Store, Map<TreeId, CachedShape>>();

async function shapeOf(store: Store, id: TreeId): Promise<CachedShape | null> {
  const known = cachedShapes.get(store) ?? new Map<TreeId, CachedShape>();
  cachedShapes.set(store, known);
  const row = await store.read(id, () => ask('tree', {}));
  if (row === null || row.attributes.trashedAt !== undefined) return null;
  const before = known.get(id);
  if (before?.version === row.version) return before;
  const found = await store.read(id, function* () {
    const { rootId, activeNodeId, version } = yield* readTree(id);
    const links = yield* ask('links', {});
    const shape = silhouetteOf(links, rootId, activeNodeId);
    const first = activeNodeId === null ? '' : yield* readFirstQuestion(links, rootId, activeNodeId);
    return { version, shape, place: { ...(yield* readShapePosition(activeNodeId)), first } };
  });
  known.delete(id);
  known.set(id, found);
  const [oldest] = known.keys();
  if (known.size > maxCachedShapes && oldest !== undefined) known.delete(oldest);
  return found;
}

const shape = z
  .object({
    treeId: treeIdSchema,
    version: z.number(),
    messages: z.number(),
    branches: z.number(),
    stems: listOfSchema(z.object({ height: z.number(), active: z.boolean() })),
    on: z.string().nullable(),
    first: z.string(),
    words: z.string(),
  })
  .openapi('TreeShape');

const listed = z
  .object({
    treeId: treeIdSchema,
    treeTitle: z.string().nullable(),
    nodeId: nodeIdSchema,
    title: z.string(),
    createdAt: z.number(),
    role: roleSchema.nullable(),
    words: z.string(),
  })
  .openapi('ListedBookmark');

const getShapes = defineRoute({
  method: 'get',
  path: '/api/shapes',
  name: 'getShapes',
  summary:
    'Returns the silhouettes of several trees (messages, branches and their lengths), and your position in each: the title of the branch, its first question and its last text.',
  query: z.strictObject({ ids: z.string() }),
  answer: z.object({ items: listOfSchema(shape) }),
  async handle(call) {
    const ids = call.query.ids.split(',').filter((text) => text !== '');
    if (ids.length > maxTrees) return refuse('command/invalid', `Request at most ${maxTrees} trees at once.`, {});
    const items: z.input<typeof shape>[] = [];
    for (const text of new Set(ids)) {
      const resolved = await resolveTree(call, treeId(text));
      const found = await shapeOf(resolved.store, resolved.treeId);
      if (found !== null)
        items.push({ treeId: resolved.treeId, version: found.version, ...found.shape, ...found.place });
    }
    return toReply({ items });
  },
});

const listBookmarks = defineRoute({
  method: 'get',
  path: '/api/bookmarks',
  name: 'listBookmarks',
  summary: 'Lists the bookmarks of all your trees by page, last changed tree first.',
  query: z.strictObject({ limit: pageLimitSchema.optional(), cursor: z.string().optional() }),
  answer: z.object({ items: listOfSchema(listed), cursor: z.string().nullable() }),
  async handle({ ownerServices, query }) {
    const { store } = ownerServices;
    const page = await store.trees({
      limit: Math.min(query.limit ?? maxTrees, maxTrees),
      ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
    });
    const items: z.input<typeof listed>[] = [];
    for (const { id, attributes } of page.items) {
      const { marks, nodes } = await store.read(id, function* () {
        const found = yield* ask('bookmarks', {});
        return { marks: found, nodes: yield* readNodes(found.map((mark) => mark.nodeId)) };
      });
      const byId = new Map<NodeId, (typeof nodes)[number]>(nodes.map((node) => [node.id, node]));
      for (const mark of [...marks].reverse()) {
        const node = byId.get(mark.nodeId);
        items.push({
          treeId: id,
          treeTitle: attributes.title ?? attributes.autoTitle ?? null,
          nodeId: mark.nodeId,
          title: mark.title,
          createdAt: mark.createdAt,
          role: node === undefined || node.role === 'root' ? null : node.role,
          words: node === undefined ? '' : shownText(node).slice(0, maxTextLength),
        });
      }
    }
    return toReply({ items, cursor: page.cursor });
  },
});

export const shapeRoutes = [getShapes, listBookmarks];
