/** Responses that several read routes share. */
import { ask, type Node, type NodeId, type ReadProgram, readTree, refuse, type TreeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { listOfSchema, nodeSchema } from '../../wire/schemas.ts';

/** The largest number of nodes in one response of the routes that read contents, leaves and the end of a path. */
export const maxPageNodes = 1_000;

/** Returns a node. Throws if it does not exist or is deleted. */
export function* requireLiveNode(id: NodeId): ReadProgram<Node> {
  return (yield* ask('node', { id })) ?? refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

/** The schema of nodes with the version at which they were read. */
export const nodesAnswerSchema = z.object({ version: z.number(), nodes: listOfSchema(nodeSchema) });

/** Runs a read and adds the version of the tree to its result. */
export function* readWithTreeVersion<T>(id: TreeId, nodes: ReadProgram<T>): ReadProgram<{ version: number; nodes: T }> {
  const { version } = yield* readTree(id);
  return { version, nodes: yield* nodes };
}
