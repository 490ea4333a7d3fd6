/** The response schemas of commands. */
import { z } from '@hono/zod-openapi';
import { bookmark, listOfSchema, nodeIdText, writtenSchema } from '../../wire/schemas.ts';
import { share } from '../../wire/share-view.ts';

/** The response of an append, an edit, a copy or a marker. */
export const grown = writtenSchema(
  z.object({ nodeId: nodeIdText, added: listOfSchema(nodeIdText), reused: listOfSchema(nodeIdText).optional() }),
).openapi('Grown');

/** The response of an edit; for one in place, with the links that still show the old text. */
export const editAnswer = grown.extend({ outdatedShares: listOfSchema(share).optional() }).openapi('Edited');

/** The response of a command about one node. */
export const nodeAnswer = writtenSchema(z.object({ nodeId: nodeIdText })).openapi('Touched');

/** The response of a delete. */
export const deleteAnswer = writtenSchema(
  z.object({
    removed: listOfSchema(nodeIdText),
    parentId: nodeIdText.nullable(),
    activeNodeId: nodeIdText.nullable(),
    bookmarks: z.object({ moved: listOfSchema(bookmark), removed: listOfSchema(bookmark) }),
  }),
).openapi('Deleted');
