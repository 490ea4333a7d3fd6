/** Hand-made paths for tests. Token counts are text lengths, so that budgets can be computed by hand. */
import { nodeId } from '../ids.ts';
import {
  type Block,
  isText,
  type JsonObject,
  type Message,
  type Role,
  type ToolUseBlock,
  textMessage,
  textOf,
} from '../message.ts';
import { type Marker, type Node, type NodeKind, type NodeMeta, roleOf } from '../node.ts';

/** Counts one token for each character of text, and ten for each block of another type. */
export const countingKit = {
  tokens: (message: Message) => textOf(message).length + 10 * message.content.filter((block) => !isText(block)).length,
};

/** The fields of a node that {@link buildPath} does not compute. */
export interface PathLink {
  readonly id: string;
  readonly kind: NodeKind;
  readonly message: Message;
  readonly meta: NodeMeta;
  readonly marker: Marker | null;
  readonly status: Node['status'];
}

/** Builds the link of a message with one text block. */
export function textLink(id: string, role: Role, text: string, meta: NodeMeta = {}): PathLink {
  return { id, kind: 'message', message: textMessage(role, text), meta, marker: null, status: 'success' };
}

/** Builds the link of a message with any blocks. */
export function messageLink(id: string, role: Role, ...content: readonly Block[]): PathLink {
  return { id, kind: 'message', message: { role, content }, meta: {}, marker: null, status: 'success' };
}

/** Builds the link of a reply that calls a tool once for each id. */
export function toolCallLink(id: string, ...calls: readonly string[]): PathLink {
  return messageLink(id, 'assistant', ...calls.map((call) => toolUseBlock(call)));
}

/** Builds a call of a tool named `look`. */
export function toolUseBlock(id: string, parameters: JsonObject = {}): ToolUseBlock {
  return { type: 'tool-use', id, name: 'look', parameters };
}

/** Builds the link of a tool message that answers a call. */
export function toolResultLink(id: string, call: string, text: string): PathLink {
  const answer: Message = { ...textMessage('tool', text), tool_call_id: call };
  return { id, kind: 'message', message: answer, meta: {}, marker: null, status: 'success' };
}

/** Builds the link of a marker of any kind. */
export function markerLink(
  id: string,
  kind: NodeKind,
  text: string,
  marker: Marker = {},
  role: Role = 'system',
): PathLink {
  return { id, kind, message: textMessage(role, text), meta: {}, marker, status: 'success' };
}

/** Builds the link of a compaction that keeps the nodes from `firstKept` on; none without it. */
export function compactionLink(id: string, summary: string, firstKept?: string): PathLink {
  return markerLink(id, 'compaction', summary, firstKept === undefined ? {} : { firstKept: nodeId(firstKept) });
}

/** Builds a path: the first node is a child of the root, each other node a child of the previous one. */
export function buildPath(...links: readonly PathLink[]): Node[] {
  return buildPathFrom(links);
}

/** Like {@link buildPath}, but takes a list, for paths of any length. */
export function buildPathFrom(links: readonly PathLink[]): Node[] {
  const nodes: Node[] = [];
  for (const link of links) nodes.push(below(nodes.at(-1)?.id ?? nodeId('root'), link, nodes.length + 1));
  return nodes;
}

function below(parentId: Node['id'], link: PathLink, seq: number): Node {
  return {
    id: nodeId(link.id),
    parentId,
    position: 'm',
    seq,
    kind: link.kind,
    role: roleOf(link.message),
    status: link.status,
    groupId: 0,
    createdAt: 0,
    matchParent: parentId,
    key: link.kind === 'message' ? link.id : null,
    tokens: countingKit.tokens(link.message),
    addedIn: seq,
    contentIn: seq,
    removedIn: null,
    lastChildId: null,
    message: link.message,
    text: textOf(link.message),
    meta: link.meta,
    marker: link.marker,
    aliases: [],
  };
}
