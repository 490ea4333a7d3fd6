import type { NodeId, TreeId } from '../ids.ts';
import type { Block, Message } from '../message.ts';
import type { ContentFields, Node } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { ReplaceStep, Step } from '../steps/types.ts';
import type { PlanContext } from './context.ts';

/** Changes the content of a message and keeps the old content. */
export interface EditCommand {
  readonly type: 'edit';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** The new blocks, or plain text for a message that contains only text. */
  readonly content: readonly Block[] | string;
  /**
   * `branch` (the default) adds a new variant. `in-place` changes the node and keeps its old content in the log.
   * `prefix` splits the node at the common prefix.
   */
  readonly mode?: 'branch' | 'in-place' | 'prefix';
  /** The id of the new variant, chosen by the client. */
  readonly id?: string;
  /** Whether the result becomes active; true by default, except for an edit in place. */
  readonly select?: boolean;
  /** Whether the node's bookmark moves to the node with the new text. */
  readonly moveBookmark?: boolean;
}

/** The node with the edited text, and the nodes that the edit added. */
export interface EditResult {
  /** The node with the new text, or with its last part. */
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
}

/** A node with a message and a parent: any node except the root. */
export type EditableNode = Node & { readonly message: Message; readonly parentId: NodeId };

/** Returns the fields of a node that a replace step records, with another message. */
export function buildReplacementContent(node: Omit<ContentFields, 'message'>, message: Message): ContentFields {
  const { status, key, text, tokens, aliases } = node;
  return { message, status, key, text, tokens, aliases };
}

/** Builds the step that replaces a node's content and records the old content. */
export function buildReplaceStep(
  context: PlanContext,
  node: Node & { readonly message: Message },
  change: { readonly message?: Message; readonly status?: Node['status']; readonly aliases?: ContentFields['aliases'] },
): ReplaceStep {
  const { message = node.message, status = node.status, aliases = node.aliases } = change;
  const { kit } = context;
  const key = node.kind === 'message' ? kit.key(message) : null;
  return {
    type: 'replace',
    nodeId: node.id,
    after: { message, status, key, text: kit.text(message), tokens: kit.tokens(message), aliases },
    before: buildReplacementContent(node, node.message),
    since: node.contentIn,
  };
}

/**
 * Builds the steps that move a bookmark to another node, unless that node already has a bookmark, so that no bookmark
 * title is lost.
 */
export function* moveBookmarkSteps(from: NodeId, to: NodeId): ReadProgram<Step[]> {
  if (from === to) return [];
  const before = yield* ask('bookmark', { on: from });
  if (before === null || (yield* ask('bookmark', { on: to })) !== null) return [];
  return [
    { type: 'bookmark', nodeId: from, after: null, before },
    { type: 'bookmark', nodeId: to, after: { ...before, nodeId: to }, before: null },
  ];
}
