/** The routes of folders and tags, which are attributes of trees. */
import { run, type Store, type TreeQuery, type TreeSummary } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { createRunContext } from '../../tree-view.ts';
import { listOfSchema, shortTextSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const counted = z.object({ items: listOfSchema(z.object({ name: z.string(), count: z.number() })) });

async function* everyTree(store: Store, query: TreeQuery = {}): AsyncGenerator<TreeSummary, void, void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.trees({ ...query, limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.items;
    cursor = page.cursor;
  }
}

async function countWords(store: Store, words: (tree: TreeSummary) => readonly string[]) {
  const counts = new Map<string, number>();
  for await (const tree of everyTree(store))
    for (const word of words(tree)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const items = [...counts].map(([name, count]) => ({ name, count }));
  return toReply({ items: items.sort((a, b) => (a.name < b.name ? -1 : 1)) });
}

const folders = defineRoute({
  method: 'get',
  path: '/api/folders',
  name: 'listFolders',
  summary: 'Lists the folders, with the number of trees in each folder.',
  answer: counted,
  handle: ({ ownerServices }) =>
    countWords(ownerServices.store, ({ attributes: { folder } }) => (folder === undefined ? [] : [folder])),
});

const renameFolder = defineRoute({
  method: 'patch',
  path: '/api/folders/{name}',
  name: 'renameFolder',
  summary: 'Renames a folder in all its trees. Null removes the folder from them.',
  body: z.strictObject({ name: shortTextSchema.nullable() }),
  answer: z.object({ name: z.string().nullable(), changed: z.number() }),
  async handle(call) {
    const { store } = call.ownerServices;
    const { name } = call.body;
    // All trees are read before the first change. The list is sorted by change time, so changes would shift its pages.
    const inside: TreeSummary[] = [];
    for await (const tree of everyTree(store, { folder: call.params.name })) inside.push(tree);
    const context = createRunContext(call, call.services.newId());
    for (const tree of inside)
      await run(store, { type: 'attributes', treeId: tree.id, set: { folder: name } }, context);
    return toReply({ name, changed: inside.length });
  },
});

const tags = defineRoute({
  method: 'get',
  path: '/api/tags',
  name: 'listTags',
  summary: 'Lists the tags of trees, with the number of trees for each tag.',
  answer: counted,
  handle: ({ ownerServices }) => countWords(ownerServices.store, ({ attributes }) => attributes.tags ?? []),
});

export const folderAndTagRoutes = [folders, renameFolder, tags];
