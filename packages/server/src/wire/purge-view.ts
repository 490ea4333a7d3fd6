/** Reports the data that a purge could not delete. */
import type { PurgeReport } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { treeIdSchema } from './schemas.ts';

/** The response fields of a purge for data that was not deleted. */
export const purgeRemainderSchema = {
  copies: z
    .array(z.object({ treeId: treeIdSchema, title: z.string().nullable(), nodes: z.number() }))
    .describe('Other trees with copies of the purged nodes.'),
  waitingAttachments: z
    .number()
    .describe('Attachments that are kept for now because an upload of the same bytes has not been sent yet.'),
  uncleared: z.boolean().describe('Whether files still contain purged bytes because another process is reading them.'),
};

/** Returns the data that a purge could not delete, without file paths of the server. */
export function toPurgeRemainder({ copies, waitingAttachments, uncleared }: PurgeReport) {
  return { copies: [...copies], waitingAttachments, uncleared: uncleared.length > 0 };
}
