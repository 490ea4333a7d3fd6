/** What a purge had to leave, as the API tells it. */
import type { PurgeReport } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { treeIdText } from './schemas.ts';

/** The fields of an answer to a purge beside what it took. */
export const purgeRemainder = {
  copies: z
    .array(z.object({ treeId: treeIdText, title: z.string().nullable(), nodes: z.number() }))
    .describe('Other trees that hold copies of what was purged.'),
  waitingAttachments: z.number().describe('Attachments that stay for now: they were uploaded less than an hour ago.'),
  uncleared: z.boolean().describe('Whether files still hold purged bytes, because another process is reading them.'),
};

/** What a purge had to leave. Paths of the server stay its own matter. */
export function toPurgeRemainder({ copies, waitingAttachments, uncleared }: PurgeReport) {
  return { copies: [...copies], waitingAttachments, uncleared: uncleared.length > 0 };
}
