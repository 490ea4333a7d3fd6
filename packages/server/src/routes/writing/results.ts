/** What commands answer, as it crosses the wire. */
import { z } from '@hono/zod-openapi';
import { bookmark, listOfSchema, nodeIdText, writtenSchema } from '../../wire/schemas.ts';
import { share } from '../../wire/share-view.ts';

/** What an append, an edit, a copy or a marker answers. */
export const grown = writtenSchema(
  z.object({ nodeId: nodeIdText, added: listOfSchema(nodeIdText), reused: listOfSchema(nodeIdText).optional() }),
).openapi('Grown');

/** What an edit answers; in place, with the links that still show the old text. */
export const edited = grown.extend({ outdatedShares: listOfSchema(share).optional() }).openapi('Edited');

/** What a command about one node answers. */
export const touched = writtenSchema(z.object({ nodeId: nodeIdText })).openapi('Touched');

/** What a delete answers. */
export const deleted = writtenSchema(
  z.object({
    removed: listOfSchema(nodeIdText),
    parentId: nodeIdText.nullable(),
    activeNodeId: nodeIdText.nullable(),
    bookmarks: z.object({ moved: listOfSchema(bookmark), removed: listOfSchema(bookmark) }),
  }),
).openapi('Deleted');
