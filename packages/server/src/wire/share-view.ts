/** Share links as their owners see them. */
import type { NodeId, ShareLink, Store, TreeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { listOfSchema, nodeIdSchema, treeIdSchema } from './schemas.ts';

/** The schema of a share link as its owner sees it. */
export const shareSchema = z
  .object({
    id: z.string(),
    treeId: treeIdSchema,
    nodeIds: listOfSchema(nodeIdSchema),
    fields: listOfSchema(z.string()),
    title: z.string().nullable(),
    createdAt: z.number(),
    expiresAt: z.number().nullable(),
    revokedAt: z.number().nullable(),
  })
  .openapi('Share');

/** Returns a link for display, without token and hash. */
export function toShareView({
  hash: _hash,
  owner: _owner,
  version: _version,
  ...rest
}: ShareLink): Omit<ShareLink, 'hash' | 'owner' | 'version'> {
  return rest;
}

/** Whether a link is valid: neither revoked nor expired. */
export function isOpenShare({ revokedAt, expiresAt }: ShareLink, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** Returns the valid links of an owner that show a node in its state before a version. */
export async function findOutdatedShares(
  { accounts }: Pick<Store, 'accounts'>,
  owner: string,
  at: { readonly treeId: TreeId; readonly nodeId: NodeId; readonly version: number; readonly now: number },
): Promise<readonly ShareLink[]> {
  const shares = await accounts.shares(owner, at.treeId);
  return shares.filter(
    (one) => isOpenShare(one, at.now) && one.nodeIds.includes(at.nodeId) && (one.version ?? at.version) < at.version,
  );
}
