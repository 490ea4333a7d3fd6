/** The routes of share links. A link shows one path as it was when the link was created. */
import { blockDefinitionOf, isKnownBlock } from '@coppice/content';
import {
  ask,
  type Block,
  isToolUse,
  type Node,
  type ReadProgram,
  readNodesAsOf,
  readPath,
  readTree,
  refuse,
  type ShareLink,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { randomText } from '#platform/crypto';
import { respondWithBlob, throwNoSuchBlob } from '../../blob-reply.ts';
import { requireFutureExpiry } from '../../expiry.ts';
import { throwHttpError } from '../../http-errors.ts';
import { hashToken } from '../../middleware/auth.ts';
import { resolveTree } from '../../resolve-tree.ts';
import type { SharedServices } from '../../services.ts';
import { blockSchema, listOfSchema, nodeIdSchema, roleSchema, shortTextSchema } from '../../wire/schemas.ts';
import { isOpenShare, shareSchema, toShareView } from '../../wire/share-view.ts';
import { defineRoute, toReply } from '../define.ts';

/** The data that a link can show besides the messages. Without a choice it shows none of them. */
const shareFields = ['system-prompt', 'tools', 'thinking', 'models', 'usage', 'times'] as const;

const field = z.enum(shareFields);
type Field = z.output<typeof field>;

const createShare = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/shares',
  name: 'createShare',
  summary:
    'Creates a share link to the path of a node as it is now. The response is the only one that contains the link. Later messages never appear in it.',
  body: z.strictObject({
    nodeId: z.string().optional(),
    fields: listOfSchema(field).optional(),
    title: shortTextSchema.nullable().optional(),
    expiresAt: z.number().int().nullable().optional(),
  }),
  answer: z.object({ share: shareSchema, token: z.string(), url: z.string() }),
  status: 201,
  async handle(call) {
    const { services, caller, body } = call;
    const resolved = await resolveTree(call, call.params.tree);
    if (resolved.temporary)
      return refuse(
        'tree/read-only',
        `The chat ${resolved.treeId} is temporary. Make it permanent before you share it.`,
        {},
      );
    const { row, nodes } = await resolved.store.read(resolved.treeId, function* () {
      const found = yield* readTree(resolved.treeId);
      const end = body.nodeId ?? found.activeNodeId;
      return { row: found, nodes: end === null ? [] : yield* readPath({ to: end }) };
    });
    if (nodes.length === 0) return refuse('message/blank', 'There is nothing to share yet.', {});
    const token = randomText(24, 'base64url');
    const made: ShareLink = {
      id: services.newId(),
      owner: caller.owner,
      treeId: resolved.treeId,
      version: row.version,
      nodeIds: nodes.map((node) => node.id),
      fields: [...new Set(body.fields ?? [])],
      title: body.title === undefined ? (row.attributes.title ?? row.attributes.autoTitle ?? null) : body.title,
      hash: hashToken(token),
      createdAt: services.now(),
      expiresAt: requireFutureExpiry(body.expiresAt, services.now()),
      revokedAt: null,
    };
    await services.store.accounts.putShare(made);
    return toReply({ share: toShareView(made), token, url: `/s/${token}` });
  },
});

const listOfShares = z.object({ items: listOfSchema(shareSchema) });

const treeShares = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/shares',
  name: 'listTreeShares',
  summary: 'Lists your share links of a tree.',
  answer: listOfShares,
  async handle(call) {
    const { store, treeId: id } = await resolveTree(call, call.params.tree);
    await store.read(id, () => readTree(id));
    return toReply({ items: (await call.services.store.accounts.shares(call.caller.owner, id)).map(toShareView) });
  },
});

const allShares = defineRoute({
  method: 'get',
  path: '/api/shares',
  name: 'listShares',
  summary: 'Lists all your share links.',
  answer: listOfShares,
  async handle({ services, caller }) {
    return toReply({ items: (await services.store.accounts.shares(caller.owner)).map(toShareView) });
  },
});

const revokeShare = defineRoute({
  method: 'delete',
  path: '/api/shares/{id}',
  name: 'revokeShare',
  summary: 'Revokes a share link.',
  answer: z.object({ share: shareSchema }),
  async handle({ services, caller, params }) {
    const { accounts } = services.store;
    const share = (await accounts.shares(caller.owner)).find((one) => one.id === params.id);
    if (share === undefined) return throwHttpError('http/not-found', `You have no link ${params.id}.`);
    const revoked: ShareLink = { ...share, revokedAt: share.revokedAt ?? services.now() };
    await accounts.putShare(revoked);
    return toReply({ share: toShareView(revoked) });
  },
});

const updateShare = defineRoute({
  method: 'post',
  path: '/api/shares/{id}/update',
  name: 'updateShare',
  summary: 'Updates a share link to show the current text of messages that were edited in place.',
  answer: z.object({ share: shareSchema }),
  async handle({ services, caller, params }) {
    const { accounts } = services.store;
    const share = (await accounts.shares(caller.owner)).find((one) => one.id === params.id);
    if (share === undefined || !isOpenShare(share, services.now()))
      return throwHttpError('http/not-found', `You have no open link ${params.id}.`);
    const { row } = await readShared(services, share);
    const updated: ShareLink = { ...share, version: row.version };
    await accounts.putShare(updated);
    return toReply({ share: toShareView(updated) });
  },
});

const sharedMessage = z.object({
  id: nodeIdSchema,
  role: roleSchema,
  content: listOfSchema(blockSchema),
  createdAt: z.number().optional(),
  model: z.string().optional(),
  usage: z.unknown().optional(),
});

const shared = defineRoute({
  method: 'get',
  path: '/api/shared/{token}',
  name: 'getShared',
  summary: 'Returns the content of a share link. Everyone who has the link may read it.',
  needs: { access: 'open' },
  answer: z.object({
    title: z.string().nullable(),
    by: z.string().optional(),
    systemPrompt: z.string().optional(),
    createdAt: z.number(),
    messages: listOfSchema(sharedMessage),
  }),
  async handle({ services, params }) {
    const share = await requireOpenShare(services, params.token);
    const { row, nodes } = await readShared(services, share);
    // A single-user server has no user names.
    const maker = services.auth.mode === 'users' ? await services.store.accounts.user(share.owner) : null;
    const by = maker === null ? {} : { by: maker.name };
    return toReply({ ...toSharedView(share, row, nodes), ...by }, { headers: noRobots });
  },
});

const sharedAttachment = defineRoute({
  method: 'get',
  path: '/api/shared/{token}/attachments/{hash}',
  name: 'getSharedAttachment',
  summary: 'Returns the bytes of an image or file in a share link, or a range of them.',
  needs: { access: 'open' },
  also: [206, 304],
  produces: '*/*',
  answer: z.string().openapi({ format: 'binary' }),
  async handle({ services, params, header }) {
    const share = await requireOpenShare(services, params.token);
    const { hash } = params;
    if (!(await shownBlobs(services, share)).has(hash)) return throwNoSuchBlob(hash);
    // Browsers may cache the bytes but must revalidate them, because a revoked link must show nothing.
    const headers = { 'Cache-Control': 'private, no-cache', ...noRobots };
    return respondWithBlob(services.ownerServicesOf(share.owner).store.blobs, hash, header, headers);
  },
});

const noRobots = { 'X-Robots-Tag': 'noindex, nofollow' };

/**
 * Returns the share link of a token. Throws the same error for a revoked, expired or unknown link, and for a link of a
 * disabled user.
 */
async function requireOpenShare({ store, now }: SharedServices, token: string): Promise<ShareLink> {
  const { accounts } = store;
  const share = await accounts.shareByHash(hashToken(token));
  if (share === null || !isOpenShare(share, now())) return throwNoSuchLink();
  const maker = await accounts.user(share.owner);
  // A single-user server has no accounts, so an unknown owner is not a disabled one.
  return maker === null || maker.disabledAt === null ? share : throwNoSuchLink();
}

interface SharedPath {
  readonly row: TreeRow;
  readonly nodes: readonly Node[];
}

/** Reads the nodes that a share link shows. Throws if none of them exists any more. */
async function readShared(services: SharedServices, share: ShareLink): Promise<SharedPath> {
  const found = await services.ownerServicesOf(share.owner).store.read(treeId(share.treeId), function* () {
    const row = yield* readSharedRow();
    // A link never shows more than at its creation: deleted messages are left out, and edited ones have their old text.
    return { row, nodes: yield* readNodesAsOf(share.nodeIds, share.version ?? row.version) };
  });
  return found.nodes.length === 0 ? throwNoSuchLink() : found;
}

function* readSharedRow(): ReadProgram<TreeRow> {
  const row = yield* ask('tree', {});
  return row === null || row.attributes.trashedAt !== undefined ? throwNoSuchLink() : row;
}

interface ShownBlobs {
  readonly version: number;
  readonly hashes: ReadonlySet<string>;
}

// A page requests each of its images separately. Without this cache, each request would read the whole path. The
// version is checked each time, so deleted images disappear.
const cachedBlobs = new WeakMap<SharedServices, Map<string, ShownBlobs>>();
const maxCachedShares = 100;

/** Returns the hashes of the attachments that a link shows. */
async function shownBlobs(services: SharedServices, share: ShareLink): Promise<ReadonlySet<string>> {
  const byShare = cachedBlobs.get(services) ?? new Map<string, ShownBlobs>();
  cachedBlobs.set(services, byShare);
  const now = await services.ownerServicesOf(share.owner).store.read(treeId(share.treeId), readSharedRow);
  const before = byShare.get(share.id);
  if (before?.version === now.version) return before.hashes;
  const { row, nodes } = await readShared(services, share);
  const hashes = new Set<string>();
  for (const { content } of toSharedView(share, row, nodes).messages)
    for (const one of content)
      if (isKnownBlock(one) && (one.type === 'image' || one.type === 'file') && one.source.type === 'blob')
        hashes.add(one.source.hash);
  byShare.delete(share.id);
  byShare.set(share.id, { version: row.version, hashes });
  for (const oldest of byShare.keys()) {
    if (byShare.size <= maxCachedShares) break;
    byShare.delete(oldest);
  }
  return hashes;
}

function throwNoSuchLink(): never {
  return throwHttpError('http/not-found', 'This link is no longer valid.');
}

/** Returns the fields of a path that a link may show. */
function toSharedView(share: ShareLink, row: TreeRow, nodes: readonly Node[]) {
  const isShown = (name: Field) => share.fields.includes(name);
  const { systemPrompt } = row.attributes;
  return {
    title: share.title,
    createdAt: share.createdAt,
    ...(isShown('system-prompt') && systemPrompt !== undefined ? { systemPrompt } : {}),
    messages: nodes.flatMap((node) => {
      const { message, meta } = node;
      if (message === null || node.kind === 'state' || node.kind === 'injected') return [];
      if (
        (message.role === 'tool' || message.role === 'system') &&
        !isShown(message.role === 'tool' ? 'tools' : 'system-prompt')
      )
        return [];
      const content = message.content.flatMap((one) => (mayShow(one, isShown) ? [withKnownFields(one)] : []));
      if (content.length === 0) return [];
      const model = meta.source?.model_name ?? meta.source?.model;
      return [
        {
          id: node.id,
          role: message.role,
          content,
          ...(isShown('times') ? { createdAt: node.createdAt } : {}),
          ...(isShown('models') && typeof model === 'string' ? { model } : {}),
          ...(isShown('usage') && meta.source?.usage !== undefined ? { usage: meta.source.usage } : {}),
        },
      ];
    }),
  };
}

// Blocks of these types are always shown. Blocks of unknown types may contain anything, so they are left out.
const shownBlockTypes: ReadonlySet<string> = new Set(['text', 'image', 'file']);

/** Returns a block without fields that its type does not define. */
function withKnownFields(one: Block): Block {
  return blockDefinitionOf(one).withKnownFields(one);
}

function mayShow(one: Block, isShown: (name: Field) => boolean): boolean {
  if (!isKnownBlock(one)) return false;
  if (isToolUse(one)) return isShown('tools');
  if (one.type === 'thinking') return isShown('thinking');
  return shownBlockTypes.has(one.type);
}

export const shareRoutes = [createShare, treeShares, allShares, revokeShare, updateShare, shared, sharedAttachment];
