import type { NodeId, TreeId } from '../ids.ts';
import type { Block, Message } from '../message.ts';
import type { Content, Node } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { ReplaceStep, Step } from '../steps/types.ts';
import type { PlanContext } from './context.ts';

/** Changes what a message says, keeping what it said. */
export interface EditCommand {
  readonly type: 'edit';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** The new blocks, or plain text for a message of text. */
  readonly content: readonly Block[] | string;
  /** A new variant (the default), the same node with its old content kept, or a split at the common prefix. */
  readonly mode?: 'branch' | 'in-place' | 'prefix';
  /** The id of the new variant, chosen by the client. */
  readonly id?: string;
  /** Whether the result becomes active: true if not given, but false for an edit in place. */
  readonly select?: boolean;
  /** Whether the bookmark of the node goes along to the node that now holds the text. */
  readonly moveBookmark?: boolean;
}

/** What an edit did. */
export interface Edited {
  /** The node that holds, or completes, the new text. */
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
}

/** A message that is edited. */
export type Editable = Node & { readonly message: Message; readonly parentId: NodeId };

/** What a node says now, as a replace step holds it. */
export function contentOfEdit(node: Omit<Content, 'message'>, message: Message): Content {
  const { status, key, text, tokens, aliases } = node;
  return { message, status, key, text, tokens, aliases };
}

/** The step that gives a node other content, with the content it has now. */
export function replaceStep(
  context: PlanContext,
  node: Node & { readonly message: Message },
  change: { readonly message?: Message; readonly status?: Node['status']; readonly aliases?: Content['aliases'] },
): ReplaceStep {
  const { message = node.message, status = node.status, aliases = node.aliases } = change;
  const { kit } = context;
  const key = node.kind === 'message' ? kit.key(message) : null;
  return {
    type: 'replace',
    nodeId: node.id,
    after: { message, status, key, text: kit.text(message), tokens: kit.tokens(message), aliases },
    before: contentOfEdit(node, node.message),
    since: node.contentIn,
  };
}

/** Takes the bookmark of one node to another, unless that has one of its own: no title is lost. */
export function* moveBookmarkSteps(from: NodeId, to: NodeId): ReadProgram<Step[]> {
  if (from === to) return [];
  const before = yield* ask('bookmark', { on: from });
  if (before === null || (yield* ask('bookmark', { on: to })) !== null) return [];
  return [
    { type: 'bookmark', nodeId: from, after: null, before },
    { type: 'bookmark', nodeId: to, after: { ...before, nodeId: to }, before: null },
  ];
}
