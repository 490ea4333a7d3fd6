/** The shapes that cross the wire, for the document, the generated client and the checks of what comes in. */
import type { Block, JsonObject } from '@coppice/core';
import { z } from '@hono/zod-openapi';

/** A list that nobody changes, as all of core's are. */
export function listOfSchema<T extends z.ZodType>(item: T) {
  return z.array(item).readonly();
}

/** Any JSON object, taken as it is: nothing of it is copied, so no key of it can do anything. */
export const jsonObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'an object is needed',
  })
  .openapi({ type: 'object', additionalProperties: true });

/** An object of an answer whose further keys are free. */
export const anyObject = z
  .custom<object>((value) => typeof value === 'object' && value !== null)
  .openapi({ type: 'object', additionalProperties: true });

const orNull = { type: ['object' as const, 'null' as const], additionalProperties: true };

/** An object of an answer whose further keys are free, or none. The document would not have the null by itself. */
const objectOrNull = anyObject.nullable().openapi(orNull);

/** As {@link jsonObject}, or null, which takes it away. */
export const jsonObjectOrNull = jsonObject.nullable().openapi(orNull);

const uuid = z.string().openapi({ format: 'uuid' });
/** Names a tree. */
export const treeIdText = uuid;
/** Names a node. */
export const nodeIdText = uuid;

/** Who speaks. */
export const role = z.enum(['user', 'assistant', 'tool', 'system']);

const typed = {
  type: 'object' as const,
  properties: { type: { type: 'string' as const } },
  required: ['type'],
  additionalProperties: true,
};

function isTyped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** One piece of a message; its `type` says what else is in it. */
export const block = z.custom<Block>(isTyped).openapi('Block', typed);

/** Blocks of a message, or plain text. The door of `@coppice/content` reads them. */
export const contentInput = z.union([z.string(), listOfSchema(block)], {
  error: 'a text or a list of blocks is needed',
});

/** A message on its way in; plain text is one of the user's. */
export const messageInput = z
  .union([
    z.string(),
    z.strictObject({
      id: z.string().optional(),
      role,
      content: contentInput,
      tool_call_id: z.string().optional(),
      meta: jsonObject.optional(),
    }),
  ])
  .openapi('MessageInput');

/** A message. */
export const message = z
  .object({ role, content: listOfSchema(block), tool_call_id: z.string().optional() })
  .openapi('Message');

const kind = z.enum(['root', 'message', 'branch-summary', 'compaction', 'injected', 'state']);
const status = z.enum(['pending', 'success', 'interrupted', 'aborted', 'error']);

// A named shape that may be null is a union: as `nullable` the document would have it both an object and null at once.

/** A node, as core has it. */
export const node = z
  .object({
    id: nodeIdText,
    parentId: nodeIdText.nullable(),
    position: z.string(),
    seq: z.number(),
    kind,
    role: z.enum(['user', 'assistant', 'tool', 'system', 'root']),
    status,
    groupId: z.number(),
    createdAt: z.number(),
    matchParent: nodeIdText.nullable(),
    key: z.string().nullable(),
    tokens: z.number(),
    addedIn: z.number(),
    contentIn: z.number(),
    removedIn: z.number().nullable(),
    lastChildId: nodeIdText.nullable(),
    message: z.union([message, z.null()]),
    text: z.string(),
    meta: anyObject,
    marker: objectOrNull,
    aliases: listOfSchema(z.object({ matchParent: nodeIdText, key: z.string() })),
  })
  .openapi('Node');

/** A node without content, as maps need it. */
export const topologyNode = z
  .object({
    id: nodeIdText,
    parentId: nodeIdText,
    role: z.enum(['user', 'assistant', 'tool', 'system', 'root']),
    kind,
    groupId: z.number(),
    seq: z.number(),
    position: z.string(),
    status,
    childCount: z.number(),
    hasChildren: z.boolean(),
    preview: z.string(),
    tokens: z.number(),
    createdAt: z.number(),
  })
  .openapi('TopologyNode');

function pickedColumn<T extends z.ZodType>(names: T) {
  return z.object({ of: listOfSchema(names), at: listOfSchema(z.number()) });
}

/** The shape of a whole tree, a column for each field. */
export const topologyColumns = z
  .object({
    id: listOfSchema(nodeIdText),
    parent: listOfSchema(z.number()),
    role: pickedColumn(topologyNode.shape.role),
    kind: pickedColumn(topologyNode.shape.kind),
    status: pickedColumn(topologyNode.shape.status),
    groupId: listOfSchema(z.number()),
    seq: listOfSchema(z.number()),
    position: listOfSchema(z.string()),
    preview: listOfSchema(z.string()),
    tokens: listOfSchema(z.number()),
    since: z.number(),
    createdAt: listOfSchema(z.number()),
  })
  .openapi('TopologyColumns');

/** A named pointer at a node. */
export const bookmark = z
  .object({ nodeId: nodeIdText, title: z.string(), createdAt: z.number(), updatedAt: z.number() })
  .openapi('Bookmark');

/** How a conversation is stored. */
export const conversationFormat = z.enum(['tree', 'linear']);

/** A tree without its nodes. */
export const treeView = z
  .object({
    id: treeIdText,
    rootId: nodeIdText,
    version: z.number(),
    structureVersion: z.number(),
    activeNodeId: nodeIdText.nullable(),
    createdAt: z.number(),
    updatedAt: z.number(),
    title: z.string().nullable(),
    autoTitle: z.string().nullable(),
    systemPrompt: z.string().optional(),
    project: z.string().nullable(),
    folder: z.string().nullable(),
    pinned: z.boolean(),
    tags: listOfSchema(z.string()),
    metadata: anyObject,
    copiedFrom: z.object({ treeId: treeIdText, nodeId: nodeIdText.optional() }).nullable(),
    deletedAt: z.number().nullable(),
    forest: z.boolean(),
    temporary: z.boolean(),
    conversation_format: conversationFormat,
    messageCount: z.number().optional(),
  })
  .openapi('TreeView');

/** What every write answers; `result` is the command's own. */
export function writtenSchema<R extends z.ZodType>(result: R) {
  return z.object({
    treeId: treeIdText,
    version: z.number(),
    conversation_format: conversationFormat,
    actId: uuid,
    activeNodeId: nodeIdText.nullable(),
    result,
    nodes: listOfSchema(node),
  });
}

/** What every refusal looks like. */
export const problem = z
  .object({
    error: z.object({
      code: z.string(),
      kind: z.enum(['invalid', 'not-found', 'conflict', 'refused', 'unavailable', 'aborted', 'internal']),
      message: z.string(),
      data: z.record(z.string(), z.unknown()),
    }),
  })
  .openapi('Problem');

/** A whole number from zero in a query. */
export const count = z
  .string()
  .regex(/^\d{1,15}$/, 'a whole number from 0 is needed')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 0 });

/** How many of a list are wanted, in a query: at least one. */
export const pageLimit = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'a whole number from 1 is needed')
  .transform(Number)
  .refine((value) => value >= 1, 'a whole number from 1 is needed')
  .openapi({ type: 'integer', minimum: 1 });

const version = z.number().int().min(0);
const conflict = z.literal('branch');

/** A body of a write that may say which version the caller has seen. */
export function writeBody<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject({ ...shape, expectedVersion: version.optional(), onConflict: conflict.optional() });
}

/** The query of a write that may say which version the caller has seen. */
export function writeQuery<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject({ ...shape, expectedVersion: count.optional(), onConflict: conflict.optional() });
}

/** The query of a write without further wishes. */
export const plainWriteQuery = writeQuery({});

/** Yes or no in a query. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .openapi({ type: 'boolean' });

/** A short text that is no content: titles, names, tags. */
export const label = z.string().max(1_000);
