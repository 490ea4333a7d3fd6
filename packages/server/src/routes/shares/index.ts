/** Share links: one path in its current state, and the parts of it that people with the link can see. */
import { randomBytes } from 'node:crypto';
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
import { respondWithBlob, throwNoSuchBlob } from '../../blob-reply.ts';
import { requireFutureExpiry } from '../../expiry.ts';
import { throwHttpError } from '../../http-errors.ts';
import { hashToken } from '../../middleware/auth.ts';
import { resolveTree } from '../../resolve-tree.ts';
import type { SharedServices } from '../../services.ts';
import { blockSchema, labelSchema, listOfSchema, nodeIdSchema, roleSchema } from '../../wire/schemas.ts';
import { isOpenShare, shareSchema, toShareView } from '../../wire/share-view.ts';
import { defineRoute, toReply } from '../define.ts';

/** The data that a link can show in addition to the messages; none of it by default. */
const shareFields = ['system-prompt', 'tools', 'thinking', 'models', 'usage', 'times'] as const;

const field = z.enum(shareFields);
type Field = z.output<typeof field>;

const createShare = defineRoute({
  method: 'post',
  path: '/api/trees/{tree}/shares',
  name: 'createShare',
  summary:
    'Creates a share link for the path to a node as it is now. The link is shown only once and never shows later messages.',
  body: z.strictObject({
    nodeId: z.string().optional(),
    fields: listOfSchema(field).optional(),
    title: labelSchema.nullable().optional(),
    expiresAt: z.number().int().nullable().optional(),
  }),
  answer: z.object({ share: shareSchema, token: z.string(), url: z.string() }),
  status: 201,
  async handle(call) {
    const { services, caller, body } = call;
    const place = await resolveTree(call, call.params.tree);
    if (place.temporary)
      return refuse('tree/read-only', `The tree ${place.treeId} is temporary: keep it before it is shared.`, {});
    const { row, nodes } = await place.store.read(place.treeId, function* () {
      const found = yield* readTree(place.treeId);
      const end = body.nodeId ?? found.activeNodeId;
      return { row: found, nodes: end === null ? [] : yield* readPath({ to: end }) };
    });
    if (nodes.length === 0) return refuse('message/blank', 'There is nothing to share yet.', {});
    const token = randomBytes(24).toString('base64url');
    const made: ShareLink = {
      id: services.newId(),
      owner: caller.owner,
      treeId: place.treeId,
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
    const known = (await accounts.shares(caller.owner)).find((one) => one.id === params.id);
    if (known === undefined) return throwHttpError('http/not-found', `You have no link ${params.id}.`);
    const revoked: ShareLink = { ...known, revokedAt: known.revokedAt ?? services.now() };
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
    const known = (await accounts.shares(caller.owner)).find((one) => one.id === params.id);
    if (known === undefined || !isOpenShare(known, services.now()))
      return throwHttpError('http/not-found', `You have no open link ${params.id}.`);
    const { row } = await readShared(services, known);
    const updated: ShareLink = { ...known, version: row.version };
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
  summary: 'The content of a share link. Open to everyone who has the link.',
  needs: { access: 'open' },
  answer: z.object({
    title: z.string().nullable(),
    by: z.string().optional(),
    systemPrompt: z.string().optional(),
    createdAt: z.number(),
    messages: listOfSchema(sharedMessage),
  }),
  async handle({ services, params }) {
    const known = await openLink(services, params.token);
    const { row, nodes } = await readShared(services, known);
    // A single-user server has no names.
    const maker = services.auth.mode === 'users' ? await services.store.accounts.user(known.owner) : null;
    const by = maker === null ? {} : { by: maker.name };
    return toReply({ ...visiblePart(known, row, nodes), ...by }, { headers: noRobots });
  },
});

const sharedAttachment = defineRoute({
  method: 'get',
  path: '/api/shared/{token}/attachments/{hash}',
  name: 'getSharedAttachment',
  summary: 'The bytes of an image or file in a share link, or a range of them.',
  needs: { access: 'open' },
  also: [206, 304],
  produces: '*/*',
  answer: z.string().openapi({ format: 'binary' }),
  async handle({ services, params, header }) {
    const known = await openLink(services, params.token);
    const { hash } = params;
    if (!(await shownBlobs(services, known)).has(hash)) return throwNoSuchBlob(hash);
    // Browsers may cache the bytes but must revalidate them: a revoked link must show nothing, even from a cache.
    const headers = { 'Cache-Control': 'private, no-cache', ...noRobots };
    return respondWithBlob(services.ownerServicesOf(known.owner).store.blobs, hash, header, headers);
  },
});

const noRobots = { 'X-Robots-Tag': 'noindex, nofollow' };

/** The share of a token. Revoked, expired and unknown links, and those of a disabled user, get the same response. */
async function openLink({ store, now }: SharedServices, token: string): Promise<ShareLink> {
  const { accounts } = store;
  const known = await accounts.shareByHash(hashToken(token));
  if (known === null || !isOpenShare(known, now())) return noSuchLink();
  const maker = await accounts.user(known.owner);
  // A single-user server has no accounts, so a user that is not listed is not disabled.
  return maker === null || maker.disabledAt === null ? known : noSuchLink();
}

interface SharedPath {
  readonly row: TreeRow;
  readonly nodes: readonly Node[];
}

/** The visible nodes of a shared path. */
async function readShared(services: SharedServices, known: ShareLink): Promise<SharedPath> {
  const found = await services.ownerServicesOf(known.owner).store.read(treeId(known.treeId), function* () {
    const row = yield* readSharedRow();
    // Deleted messages are not shown, and edited ones as they were: a link never shows more than when it was created.
    return { row, nodes: yield* readNodesAsOf(known.nodeIds, known.version ?? row.version) };
  });
  return found.nodes.length === 0 ? noSuchLink() : found;
}

function* readSharedRow(): ReadProgram<TreeRow> {
  const row = yield* ask('tree', {});
  return row === null || row.attributes.trashedAt !== undefined ? noSuchLink() : row;
}

interface ShownBlobs {
  readonly version: number;
  readonly hashes: ReadonlySet<string>;
}

// A page with images requests each separately. Without this cache each request would read the whole path again. The
// version is checked each time, so deleted content disappears here too.
const shownBefore = new WeakMap<SharedServices, Map<string, ShownBlobs>>();
const mostRemembered = 100;

/** The attachments that a link shows. */
async function shownBlobs(services: SharedServices, known: ShareLink): Promise<ReadonlySet<string>> {
  const remembered = shownBefore.get(services) ?? new Map<string, ShownBlobs>();
  shownBefore.set(services, remembered);
  const now = await services.ownerServicesOf(known.owner).store.read(treeId(known.treeId), readSharedRow);
  const before = remembered.get(known.id);
  if (before?.version === now.version) return before.hashes;
  const { row, nodes } = await readShared(services, known);
  const hashes = new Set<string>();
  for (const { content } of visiblePart(known, row, nodes).messages)
    for (const one of content)
      if (isKnownBlock(one) && (one.type === 'image' || one.type === 'file') && one.source.type === 'blob')
        hashes.add(one.source.hash);
  remembered.delete(known.id);
  remembered.set(known.id, { version: row.version, hashes });
  for (const oldest of remembered.keys()) {
    if (remembered.size <= mostRemembered) break;
    remembered.delete(oldest);
  }
  return hashes;
}

function noSuchLink(): never {
  return throwHttpError('http/not-found', 'This link is no longer valid.');
}

/** The visible part of a path. Fields that are not listed here are left out. */
function visiblePart(known: ShareLink, row: TreeRow, nodes: readonly Node[]) {
  const ticked = (name: Field) => known.fields.includes(name);
  const { systemPrompt } = row.attributes;
  return {
    title: known.title,
    createdAt: known.createdAt,
    ...(ticked('system-prompt') && systemPrompt !== undefined ? { systemPrompt } : {}),
    messages: nodes.flatMap((node) => {
      const { message, meta } = node;
      if (message === null || node.kind === 'state' || node.kind === 'injected') return [];
      if (
        (message.role === 'tool' || message.role === 'system') &&
        !ticked(message.role === 'tool' ? 'tools' : 'system-prompt')
      )
        return [];
      const content = message.content.flatMap((one) => (mayShow(one, ticked) ? [knownPart(one)] : []));
      if (content.length === 0) return [];
      const model = meta.source?.model_name ?? meta.source?.model;
      return [
        {
          id: node.id,
          role: message.role,
          content,
          ...(ticked('times') ? { createdAt: node.createdAt } : {}),
          ...(ticked('models') && typeof model === 'string' ? { model } : {}),
          ...(ticked('usage') && meta.source?.usage !== undefined ? { usage: meta.source.usage } : {}),
        },
      ];
    }),
  };
}

// Text, images and files are shown. Blocks of unknown types may contain anything, and are left out.
const said: ReadonlySet<string> = new Set(['text', 'image', 'file']);

/** A block without fields that its type does not define. */
function knownPart(one: Block): Block {
  return blockDefinitionOf(one).withKnownFields(one);
}

function mayShow(one: Block, ticked: (name: Field) => boolean): boolean {
  if (!isKnownBlock(one)) return false;
  if (isToolUse(one)) return ticked('tools');
  if (one.type === 'thinking') return ticked('thinking');
  return said.has(one.type);
}

export const shareRoutes = [createShare, treeShares, allShares, revokeShare, updateShare, shared, sharedAttachment];
