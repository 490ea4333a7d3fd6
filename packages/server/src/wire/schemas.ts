/** The schemas of requests and responses. They validate both, and the OpenAPI document is generated from them. */
import type { Block, JsonObject } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { z } from '@hono/zod-openapi';

/** Returns the schema of a read-only list, the form in which core has lists. */
export function listOfSchema<T extends z.ZodType>(item: T) {
  return z.array(item).readonly();
}

/** Any JSON object. It is passed through and not copied, so special keys such as `__proto__` cannot do harm. */
export const jsonObjectSchema = z
  .custom<JsonObject>(isFieldMap, { error: 'must be an object' })
  .openapi({ type: 'object', additionalProperties: true });

/** A response object with any keys. */
export const anyObjectSchema = z
  .custom<object>((value) => typeof value === 'object' && value !== null)
  .openapi({ type: 'object', additionalProperties: true });

const orNull = { type: ['object' as const, 'null' as const], additionalProperties: true };

/** A response object with any keys, or null. The null must be declared explicitly in the document. */
const objectOrNull = anyObjectSchema.nullable().openapi(orNull);

/** Like {@link jsonObjectSchema}, or null to remove the object. */
export const jsonObjectOrNullSchema = jsonObjectSchema.nullable().openapi(orNull);

const uuid = z.string().openapi({ format: 'uuid' });
/** A tree id. */
export const treeIdSchema = uuid;
/** A node id. */
export const nodeIdSchema = uuid;

/** The role of a message. */
export const roleSchema = z.enum(['user', 'assistant', 'tool', 'system']);

const typed = {
  type: 'object' as const,
  properties: { type: { type: 'string' as const } },
  required: ['type'],
  additionalProperties: true,
};

function isTyped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** One block of a message; its `type` determines the other fields. */
export const blockSchema = z.custom<Block>(isTyped).openapi('Block', typed);

/** Blocks of a message, or plain text; parsed by `@coppice/content`. */
export const contentInputSchema = z.union([z.string(), listOfSchema(blockSchema)], {
  error: 'must be a text or a list of blocks',
});

/** A new message; plain text is a user message. */
export const messageInputSchema = z
  .union([
    z.string(),
    z.strictObject({
      id: z.string().optional(),
      role: roleSchema,
      content: contentInputSchema,
      tool_call_id: z.string().optional(),
      meta: jsonObjectSchema.optional(),
    }),
  ])
  .openapi('MessageInput');

export const messageSchema = z
  .object({ role: roleSchema, content: listOfSchema(blockSchema), tool_call_id: z.string().optional() })
  .openapi('Message');

const kind = z.enum(['root', 'message', 'branch-summary', 'compaction', 'injected', 'state']);
const status = z.enum(['pending', 'success', 'interrupted', 'aborted', 'error']);

// A nullable named schema must be a union: with `nullable` the document would require a value that is both an object
// and null.

/** A node with content. */
export const nodeSchema = z
  .object({
    id: nodeIdSchema,
    parentId: nodeIdSchema.nullable(),
    position: z.string(),
    seq: z.number(),
    kind,
    role: z.enum(['user', 'assistant', 'tool', 'system', 'root']),
    status,
    groupId: z.number(),
    createdAt: z.number(),
    matchParent: nodeIdSchema.nullable(),
    key: z.string().nullable(),
    tokens: z.number(),
    addedIn: z.number(),
    contentIn: z.number(),
    removedIn: z.number().nullable(),
    lastChildId: nodeIdSchema.nullable(),
    message: z.union([messageSchema, z.null()]),
    text: z.string(),
    meta: anyObjectSchema,
    marker: objectOrNull,
    aliases: listOfSchema(z.object({ matchParent: nodeIdSchema, key: z.string() })),
  })
  .openapi('Node');

/** A node without content, for maps. */
export const topologyNodeSchema = z
  .object({
    id: nodeIdSchema,
    parentId: nodeIdSchema,
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

/** The topology of a whole tree in columns. */
export const topologyColumnsSchema = z
  .object({
    id: listOfSchema(nodeIdSchema),
    parent: listOfSchema(z.number()),
    role: pickedColumn(topologyNodeSchema.shape.role),
    kind: pickedColumn(topologyNodeSchema.shape.kind),
    status: pickedColumn(topologyNodeSchema.shape.status),
    groupId: listOfSchema(z.number()),
    seq: listOfSchema(z.number()),
    position: listOfSchema(z.string()),
    preview: listOfSchema(z.string()),
    tokens: listOfSchema(z.number()),
    since: z.number(),
    createdAt: listOfSchema(z.number()),
  })
  .openapi('TopologyColumns');

/** A bookmark. */
export const bookmarkSchema = z
  .object({ nodeId: nodeIdSchema, title: z.string(), createdAt: z.number(), updatedAt: z.number() })
  .openapi('Bookmark');

/** How a conversation is stored: as a tree or as a linear list. */
export const conversationFormatSchema = z.enum(['tree', 'linear']);

/** A tree without its nodes. */
export const treeViewSchema = z
  .object({
    id: treeIdSchema,
    rootId: nodeIdSchema,
    version: z.number(),
    structureVersion: z.number(),
    activeNodeId: nodeIdSchema.nullable(),
    createdAt: z.number(),
    updatedAt: z.number(),
    title: z.string().nullable(),
    autoTitle: z.string().nullable(),
    systemPrompt: z.string().optional(),
    project: z.string().nullable(),
    folder: z.string().nullable(),
    pinned: z.boolean(),
    tags: listOfSchema(z.string()),
    metadata: anyObjectSchema,
    copiedFrom: z.object({ treeId: treeIdSchema, nodeId: nodeIdSchema.optional() }).nullable(),
    deletedAt: z.number().nullable(),
    forest: z.boolean(),
    temporary: z.boolean(),
    conversation_format: conversationFormatSchema,
    messageCount: z.number().optional(),
  })
  .openapi('TreeView');

/** Returns the response schema of a write. `result` is the result of the command. */
export function writeResponseSchema<R extends z.ZodType>(result: R) {
  return z.object({
    treeId: treeIdSchema,
    version: z.number(),
    conversation_format: conversationFormatSchema,
    actId: uuid,
    activeNodeId: nodeIdSchema.nullable(),
    result,
    nodes: listOfSchema(nodeSchema),
  });
}

/** The error format. */
export const problemSchema = z
  .object({
    error: z.object({
      code: z.string(),
      kind: z.enum(['invalid', 'not-found', 'conflict', 'refused', 'unavailable', 'aborted', 'internal']),
      message: z.string(),
      data: z.record(z.string(), z.unknown()),
    }),
  })
  .openapi('Problem');

/** A non-negative integer in a query. */
export const wholeNumberQuerySchema = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number from 0')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 0 });

/** The number of list items in a query: at least one. */
export const pageLimitSchema = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number from 1')
  .transform(Number)
  .refine((value) => value >= 1, 'must be a whole number from 1')
  .openapi({ type: 'integer', minimum: 1 });

const version = z.number().int().min(0);
const conflict = z.literal('branch');

/** Returns the body schema of a write, with an optional expected version. */
export function writeBodySchema<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject({ ...shape, expectedVersion: version.optional(), onConflict: conflict.optional() });
}

/** Returns the query schema of a write, with an optional expected version. */
export function writeQuerySchema<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject({
    ...shape,
    expectedVersion: wholeNumberQuerySchema.optional(),
    onConflict: conflict.optional(),
  });
}

/** The query of a write without further parameters. */
export const plainWriteQuerySchema = writeQuerySchema({});

/** A boolean in a query. */
export const queryFlagSchema = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .openapi({ type: 'boolean' });

/** A short text: titles, names, tags. */
export const shortTextSchema = z.string().max(1_000);
