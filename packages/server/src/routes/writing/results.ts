/** The response schemas of the routes that write. */
import { z } from '@hono/zod-openapi';
import { bookmarkSchema, listOfSchema, nodeIdSchema, writeResponseSchema } from '../../wire/schemas.ts';
import { shareSchema } from '../../wire/share-view.ts';

/** The response of an append, an edit, a copy or a marker. */
export const addedNodesSchema = writeResponseSchema(
  z.object({ nodeId: nodeIdSchema, added: listOfSchema(nodeIdSchema), reused: listOfSchema(nodeIdSchema).optional() }),
).openapi('AddResult');

/** The response of an edit; for one in place, with the links that still show the old text. */
export const editAnswerSchema = addedNodesSchema
  .extend({ outdatedShares: listOfSchema(shareSchema).optional() })
  .openapi('EditResult');

/** The response of a command that changes one node. */
export const nodeAnswerSchema = writeResponseSchema(z.object({ nodeId: nodeIdSchema })).openapi('NodeWriteResult');

/** The response of a delete. */
export const deleteAnswerSchema = writeResponseSchema(
  z.object({
    removed: listOfSchema(nodeIdSchema),
    parentId: nodeIdSchema.nullable(),
    activeNodeId: nodeIdSchema.nullable(),
    bookmarks: z.object({ moved: listOfSchema(bookmarkSchema), removed: listOfSchema(bookmarkSchema) }),
  }),
).openapi('DeleteResult');
