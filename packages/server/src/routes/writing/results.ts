/** The response schemas of commands. */
import { z } from '@hono/zod-openapi';
import { bookmarkSchema, listOfSchema, nodeIdSchema, writeResponseSchema } from '../../wire/schemas.ts';
import { shareSchema } from '../../wire/share-view.ts';

/** The response of an append, an edit, a copy or a marker. */
export const addedNodesSchema = writeResponseSchema(
  z.object({ nodeId: nodeIdSchema, added: listOfSchema(nodeIdSchema), reused: listOfSchema(nodeIdSchema).optional() }),
).openapi('Grown');

/** The response of an edit; for one in place, with the links that still show the old text. */
export const editAnswerSchema = addedNodesSchema
  .extend({ outdatedShares: listOfSchema(shareSchema).optional() })
  .openapi('Edited');

/** The response of a command about one node. */
export const nodeAnswerSchema = writeResponseSchema(z.object({ nodeId: nodeIdSchema })).openapi('Touched');

/** The response of a delete. */
export const deleteAnswerSchema = writeResponseSchema(
  z.object({
    removed: listOfSchema(nodeIdSchema),
    parentId: nodeIdSchema.nullable(),
    activeNodeId: nodeIdSchema.nullable(),
    bookmarks: z.object({ moved: listOfSchema(bookmarkSchema), removed: listOfSchema(bookmarkSchema) }),
  }),
).openapi('Deleted');
