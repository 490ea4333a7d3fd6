/** What commands answer, as it crosses the wire. */
import { z } from '@hono/zod-openapi';
import { bookmark, list, nodeIdText, written } from '../../wire/schemas.ts';
import { share } from '../../wire/share-view.ts';

/** What an append, an edit, a copy or a marker answers. */
export const grown = written(
  z.object({ nodeId: nodeIdText, added: list(nodeIdText), reused: list(nodeIdText).optional() }),
).openapi('Grown');

/** What an edit answers; in place, with the links that still show the old text. */
export const edited = grown.extend({ outdatedShares: list(share).optional() }).openapi('Edited');

/** What a command about one node answers. */
export const touched = written(z.object({ nodeId: nodeIdText })).openapi('Touched');

/** What a delete answers. */
export const deleted = written(
  z.object({
    removed: list(nodeIdText),
    parentId: nodeIdText.nullable(),
    activeNodeId: nodeIdText.nullable(),
    bookmarks: z.object({ moved: list(bookmark), removed: list(bookmark) }),
  }),
).openapi('Deleted');
