/** What several readings answer alike. */
import { ask, type Node, type NodeId, type ReadProgram, readTree, refuse, type TreeId } from '@coppice/core';
import { z } from '@hono/zod-openapi';
import { listOfSchema, node } from '../../wire/schemas.ts';

/** A page past this is no page; whoever wants the whole path asks for the path. */
export const mostNodes = 1_000;

/** A node that lives. Refuses any other. */
export function* theLive(id: NodeId): ReadProgram<Node> {
  return (yield* ask('node', { id })) ?? refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/** Nodes, and the version that they were read at. */
export const nodesAnswer = z.object({ version: z.number(), nodes: listOfSchema(node) });

/** What is read, with the version that it was read at. */
export function* withVersion<T>(id: TreeId, nodes: ReadProgram<T>): ReadProgram<{ version: number; nodes: T }> {
  const { version } = yield* readTree(id);
  return { version, nodes: yield* nodes };
}
