/** Converts a path to a list of messages for clients that do not support branches. */
import type { Node } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { messageSchema, nodeIdSchema } from './schemas.ts';

/** A message with id, time and status. */
export const linearMessageSchema = messageSchema.extend({
  id: nodeIdSchema,
  createdAt: z.number(),
  status: z.string(),
});

/** Returns the messages of a path. Markers are left out. */
export function toLinearMessages(nodes: readonly Node[]): z.input<typeof linearMessageSchema>[] {
  return nodes.flatMap(({ id, createdAt, status, kind, message: said }) =>
    said === null || kind !== 'message' ? [] : [{ id, createdAt, status, ...said }],
  );
}
