/** Shared responses of read routes. */
import { ask, type Node, type NodeId, type ReadProgram, readTree, refuse, type TreeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { listOfSchema, nodeSchema } from '../../wire/schemas.ts';

/** The largest page; clients that need the whole path request the path. */
export const maxPageNodes = 1_000;

/** A live node; throws for any other. */
export function* requireLiveNode(id: NodeId): ReadProgram<Node> {
  return (yield* ask('node', { id })) ?? refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/** Nodes, and the version at which they were read. */
export const nodesAnswerSchema = z.object({ version: z.number(), nodes: listOfSchema(nodeSchema) });

/** Adds the version at which something was read. */
export function* addTreeVersion<T>(id: TreeId, nodes: ReadProgram<T>): ReadProgram<{ version: number; nodes: T }> {
  const { version } = yield* readTree(id);
  return { version, nodes: yield* nodes };
}
