/**
 * Conversations in ChatGPT's shape: a mapping of nodes and a current node, as plain values. The functions run the
 * planners: reads are answered from the mapping, and steps are applied to the mapping.
 */
import { refuse } from './errors.ts';
import { type NodeId, nodeId, treeId } from './ids.ts';
import {
  type Block,
  type Message as CoreMessage,
  isText,
  type MessageKit,
  type Role,
  roles,
  type TextBlock,
  textMessage,
} from './message.ts';
import type { Node } from './node.ts';
import type { Plan, PlanContext } from './plan/context.ts';
import { planEdit } from './plan/edit.ts';
import { planNavigate } from './plan/navigate.ts';
import { findPromptOfReply, planReply } from './plan/reply.ts';
import { positionBetween } from './position.ts';
import { type Answer, type Read, type ReadProgram, runReads } from './reads.ts';

/** The id of the root in conversations that Coppice creates. */
export const CLIENT_ROOT_ID = 'client-created-root';

/** A message in ChatGPT's shape; its times are in seconds. */
export interface ConversationMessage {
  readonly id: string;
  readonly author: { readonly role: Role; readonly [key: string]: unknown };
  readonly content: { readonly parts: readonly unknown[]; readonly [key: string]: unknown };
  readonly create_time: number;
  readonly update_time?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A node in a mapping; the root's message is null. */
export interface ConversationNode {
  readonly id: string;
  readonly parent: string | null;
  readonly children: readonly string[];
  readonly message: ConversationMessage | null;
}

/** All nodes of a conversation by id, the root included. */
export type ConversationMapping = Readonly<Record<string, ConversationNode>>;

/** A conversation in ChatGPT's shape; its times are in seconds. */
export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly create_time: number;
  readonly update_time: number;
  readonly mapping: ConversationMapping;
  readonly current_node: string;
}

/** The functions on conversations, with the names and signatures that are common for this shape. */
export interface ConversationFunctions {
  getNode(mapping: ConversationMapping, nodeId: string): ConversationNode | null;
  /** Returns the ids from the root down to a node; empty for an unknown node. */
  getBranch(mapping: ConversationMapping, nodeId: string): string[];
  /** Returns the messages from the first message to the current node. */
  getCurrentThread(conversation: Conversation): ConversationMessage[];
  /** Returns the variants of a node, including the node. */
  getSiblings(mapping: ConversationMapping, nodeId: string): string[];
  /** Returns `[index, total]` among the variants; `[0, 1]` for the root and an only child. */
  getSiblingIndex(mapping: ConversationMapping, nodeId: string): [number, number];
  /** Returns the mapping with an additional message. Throws if the parent is unknown or the id is taken. */
  addNode(mapping: ConversationMapping, parentId: string, message: ConversationMessage): ConversationMapping;
  /**
   * Returns the conversation with the last leaf of the previous or next variant as its current node; the same value if
   * there is only one variant.
   */
  navigateToSibling(conversation: Conversation, nodeId: string, direction: 'prev' | 'next'): Conversation;
  /** Returns a conversation without messages. */
  createEmptyConversation(id: string): Conversation;
  /**
   * Adds a new variant of a message. Throws if the id is unknown, if the node is the root, has no message or has a tool
   * message, or if the new content is blank.
   */
  editMessage(
    conversation: Conversation,
    messageId: string,
    newContent: string,
  ): { conversation: Conversation; newMessageId: string };
  /** Returns the prompt whose reply is generated again, and the conversation with that prompt as its current node. */
  prepareForRegeneration(
    conversation: Conversation,
    assistantMessageId: string,
  ): { conversation: Conversation; promptNodeId: string | null };
}

/** Creates the functions from a clock in milliseconds and an id generator. */
export function createConversationFunctions(env: {
  readonly now: () => number;
  readonly newId: () => string;
}): ConversationFunctions {
  const seconds = () => env.now() / 1000;
  const context = (mapping: ConversationMapping): PlanContext => ({
    treeId: treeId('conversation'),
    now: env.now(),
    newId: env.newId,
    kit,
    actor: 'local',
    stale: false,
    isId: (text) => text !== '' && !Object.hasOwn(mapping, text),
  });
  return {
    getNode,
    getBranch,
    getSiblings,
    getSiblingIndex,
    getCurrentThread: ({ mapping, current_node }) =>
      getBranch(mapping, current_node).flatMap((id) => getNode(mapping, id)?.message ?? []),
    addNode(mapping, parentId, message) {
      assertCompleteMessage(message);
      assertIdFree(mapping, message.id);
      const reading = planReply(
        {
          type: 'reply',
          treeId: treeId('conversation'),
          parentId: nodeId(parentId),
          replies: [{ id: message.id, message: coreMessage(message), status: 'pending' }],
        },
        context(mapping),
      );
      return insertIntoMapping(mapping, planOn(mapping, null, reading), message);
    },
    navigateToSibling(conversation, id, direction) {
      const { mapping } = conversation;
      if (getNode(mapping, id)?.parent == null) return conversation;
      const command = {
        type: 'navigate',
        treeId: treeId('conversation'),
        nodeId: nodeId(id),
        direction: direction === 'prev' ? 'previous' : 'next',
      } as const;
      const { steps } = planOn(mapping, conversation.current_node, planNavigate(command, context(mapping)));
      const [step] = steps;
      return step?.type === 'select' && step.after !== null
        ? { ...conversation, current_node: step.after }
        : conversation;
    },
    createEmptyConversation(id) {
      const at = seconds();
      const root: ConversationNode = { id: CLIENT_ROOT_ID, parent: null, children: [], message: null };
      return {
        id,
        title: 'New chat',
        create_time: at,
        update_time: at,
        mapping: { [CLIENT_ROOT_ID]: root },
        current_node: CLIENT_ROOT_ID,
      };
    },
    editMessage(conversation, messageId, newContent) {
      const { mapping } = conversation;
      const old = getNode(mapping, messageId);
      if (old !== null && old.parent !== null && old.message === null)
        refuse('message/invalid', `The node ${messageId} has no message to edit.`, { nodeId: messageId });
      const command = {
        type: 'edit',
        treeId: treeId('conversation'),
        nodeId: nodeId(messageId),
        content: newContent,
      } as const;
      const plan = planOn(mapping, conversation.current_node, planEdit(command, context(mapping)));
      const [newMessageId] = plan.result.added;
      if (newMessageId === undefined || old?.message == null) return { conversation, newMessageId: messageId };
      const at = seconds();
      const message: ConversationMessage = {
        ...old.message,
        id: newMessageId,
        content: { ...old.message.content, parts: [newContent] },
        create_time: at,
      };
      return {
        conversation: {
          ...conversation,
          mapping: insertIntoMapping(mapping, plan, message),
          current_node: newMessageId,
          update_time: at,
        },
        newMessageId,
      };
    },
    prepareForRegeneration(conversation, assistantMessageId) {
      const { mapping } = conversation;
      const above = getNode(mapping, assistantMessageId)?.parent;
      const from = above == null || !reachesUser(mapping, above) ? null : conversationNode(mapping, above);
      if (from === null) return { conversation, promptNodeId: null };
      const { prompt } = planOn(mapping, conversation.current_node, findPromptOfReply(from));
      return {
        conversation: { ...conversation, current_node: prompt.id, update_time: seconds() },
        promptNodeId: prompt.id,
      };
    },
  };
}

function getNode(mapping: ConversationMapping, id: string): ConversationNode | null {
  return Object.hasOwn(mapping, id) ? (mapping[id] ?? null) : null;
}

function getBranch(mapping: ConversationMapping, id: string): string[] {
  const branch: string[] = [];
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null; ) {
    const node = getNode(mapping, at);
    // Foreign mappings sometimes contain cycles.
    if (node === null || seen.has(at)) break;
    seen.add(at);
    branch.push(at);
    at = node.parent;
  }
  return branch.reverse();
}

function getSiblings(mapping: ConversationMapping, id: string): string[] {
  const parent = getNode(mapping, id)?.parent;
  return parent == null ? [id] : [...(getNode(mapping, parent)?.children ?? [id])];
}

function getSiblingIndex(mapping: ConversationMapping, id: string): [number, number] {
  const siblings = getSiblings(mapping, id);
  return [Math.max(0, siblings.indexOf(id)), siblings.length];
}

function reachesUser(mapping: ConversationMapping, from: string): boolean {
  return getBranch(mapping, from).some((id) => getNode(mapping, id)?.message?.author.role === 'user');
}

/** Throws if a message lacks its id, author or content. */
function assertCompleteMessage(message: unknown): void {
  if (typeof message !== 'object' || message === null)
    refuse('message/invalid', 'The message is missing: pass an object with an id, an author and content.');
  else if (!('id' in message) || typeof message.id !== 'string' || message.id === '')
    refuse('id/invalid', 'The message has no id; set one before you add it.');
  else if (!('author' in message) || !('content' in message) || message.author == null || message.content == null)
    refuse('message/invalid', `The message ${message.id} has no author or no content.`, { nodeId: message.id });
}

function assertIdFree(mapping: ConversationMapping, id: string): void {
  if (Object.hasOwn(mapping, id)) refuse('id/taken', `The id ${id} is taken by another node.`, { nodeId: id });
}

/** Converts a part to a block: text stays text, anything else becomes an opaque block. */
function partBlock(part: unknown): Block {
  if (typeof part !== 'string') return { type: 'part', ...(typeof part === 'object' && part !== null ? { part } : {}) };
  const block: TextBlock = { type: 'text', text: part };
  return block;
}

function coreMessage(message: ConversationMessage): CoreMessage {
  const { role } = message.author;
  // Code and tool output in foreign exports use other fields instead of parts.
  const parts: readonly unknown[] = Array.isArray(message.content.parts) ? message.content.parts : [message.content];
  const blocks = (parts.length === 0 ? [''] : parts).map(partBlock);
  const known: Role = roles.includes(role) ? role : 'system';
  return known === 'tool'
    ? { role: known, content: blocks, tool_call_id: message.id }
    : { role: known, content: blocks };
}

const kit: MessageKit = {
  key: (message) =>
    JSON.stringify([
      message.role,
      message.content.map((block) => (isText(block) ? block.text.trim() : block)).filter((part) => part !== ''),
    ]),
  text: (message) => message.content.map((block) => (isText(block) ? block.text : '')).join(''),
  tokens: () => 0,
};

function conversationNode(mapping: ConversationMapping, id: string): Node | null {
  const node = getNode(mapping, id);
  if (node === null) return null;
  // Foreign exports also contain nodes without a message inside the tree. They count as variants, but cannot be edited.
  const placeholder = node.parent === null ? null : textMessage('system', '');
  const message = node.message === null ? placeholder : coreMessage(node.message);
  return {
    id: nodeId(id),
    parentId: node.parent === null ? null : nodeId(node.parent),
    position: positionBetween(null, null),
    seq: 0,
    kind: message === null ? 'root' : node.message === null ? 'state' : 'message',
    role: message?.role ?? 'root',
    status: 'success',
    groupId: 0,
    createdAt: 0,
    matchParent: null,
    key: message === null || node.message === null ? null : kit.key(message),
    tokens: 0,
    addedIn: 1,
    contentIn: 1,
    removedIn: null,
    lastChildId: null,
    message,
    text: '',
    meta: {},
    marker: null,
    aliases: [],
  };
}

/** Answers the few reads that the planners of this file yield; the mapping is the tree. */
function planAnswers(mapping: ConversationMapping, current: string | null, read: Read): Answer {
  switch (read.ask) {
    case 'tree':
      return {
        id: treeId('conversation'),
        owner: 'local',
        rootId: nodeId(getBranch(mapping, current ?? CLIENT_ROOT_ID)[0] ?? CLIENT_ROOT_ID),
        version: 1,
        structureVersion: 1,
        activeNodeId: current === null ? null : nodeId(current),
        nextSeq: 0,
        createdAt: 0,
        updatedAt: 0,
        attributes: {},
      };
    case 'node':
      return conversationNode(mapping, read.id);
    case 'children':
      return (getNode(mapping, read.of)?.children ?? []).flatMap((id) => conversationNode(mapping, id) ?? []);
    case 'lastVisited':
      return lastLeaf(mapping, read.from);
    case 'taken':
      return read.ids.filter((id) => Object.hasOwn(mapping, id));
    case 'groupMax':
      return 0;
    default:
      return null;
  }
}

function lastLeaf(mapping: ConversationMapping, from: string): NodeId {
  const seen = new Set<string>();
  let leaf = from;
  for (;;) {
    seen.add(leaf);
    const children = getNode(mapping, leaf)?.children ?? [];
    const next = children.at(-1);
    if (next === undefined || seen.has(next) || !Object.hasOwn(mapping, next)) return nodeId(leaf);
    leaf = next;
  }
}

function planOn<T>(mapping: ConversationMapping, current: string | null, reading: ReadProgram<T>): T {
  return runReads(reading, (read) => planAnswers(mapping, current, read));
}

/** Applies the one insert step of a plan to the mapping and keeps the message in its original form. */
function insertIntoMapping(
  mapping: ConversationMapping,
  plan: Plan<unknown>,
  message: ConversationMessage,
): ConversationMapping {
  assertIdFree(mapping, message.id);
  const insert = plan.steps.find((step) => step.type === 'insert');
  const parentId = insert?.type === 'insert' ? insert.node.parentId : null;
  const parent = parentId === null ? null : getNode(mapping, parentId);
  if (parent === null) return mapping;
  return {
    ...mapping,
    [parent.id]: { ...parent, children: [...parent.children, message.id] },
    [message.id]: { id: message.id, parent: parent.id, children: [], message },
  };
}
