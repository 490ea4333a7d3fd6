/** What a screen shows of a conversation: the thread, the reply that is on its way, and what is asked or told. */
import {
  type AppError,
  ask,
  type Node,
  type NodeId,
  readTree,
  type Store,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import type { ApprovalRequest, TurnEvent } from '@coppice/engine';
import { variantNumbers } from '../variants.ts';

/** A reply on its way. */
export interface PartialReply {
  readonly nodeId: NodeId | null;
  readonly text: string;
  readonly thinking: string;
  /** What tools are asked, in words, oldest first. */
  readonly calls: readonly string[];
}

/** A question about a tool, and how it is answered. */
export interface PendingApproval {
  readonly request: ApprovalRequest;
  answer(approved: boolean): void;
}

/** All that a screen shows. */
export interface ChatState {
  readonly title: string | null;
  /** The thread down to where the view is, newest last; at most so many as are kept in view. */
  readonly nodes: readonly Node[];
  /** Whether there is more above. */
  readonly more: boolean;
  /** Each node's place among its variants, as `[index, total]`. */
  readonly places: ReadonlyMap<NodeId, readonly [number, number]>;
  readonly growing: PartialReply | null;
  readonly model: string;
  /** What the last command said, or what went wrong. */
  readonly notice: { readonly text: string; readonly bad: boolean; readonly error?: AppError } | null;
  readonly question: PendingApproval | null;
  /** What was sent and waits for a command that is at work. */
  readonly waiting: readonly string[];
}

/** Before anything was said. */
export function emptyChatState(model: string, title: string | null): ChatState {
  return {
    title,
    nodes: [],
    more: false,
    places: new Map(),
    growing: null,
    model,
    notice: null,
    question: null,
    waiting: [],
  };
}

/** A reply of which nothing has come. */
export const emptyReply: PartialReply = { nodeId: null, text: '', thinking: '', calls: [] };

/** A reply with what an event adds to it; the same one where that is nothing. */
export function applyEvent(growing: PartialReply, event: TurnEvent): PartialReply {
  switch (event.type) {
    case 'node':
      return event.status === 'pending' ? { ...emptyReply, nodeId: event.nodeId, calls: growing.calls } : growing;
    case 'text-delta':
      return { ...growing, nodeId: event.nodeId, text: growing.text.slice(0, event.offset) + event.text };
    case 'thinking-delta':
      return { ...growing, thinking: growing.thinking + event.text };
    case 'tool-use':
      return { ...growing, calls: [...growing.calls, `${event.name} ${JSON.stringify(event.parameters)}`] };
    default:
      return growing;
  }
}

const shownAtMost = 400;

/** Reads the thread down to a node as it is shown. */
export async function readChatView(
  store: Store,
  id: TreeId,
  here: NodeId | null,
): Promise<{ readonly row: TreeRow; readonly shown: Pick<ChatState, 'title' | 'nodes' | 'more' | 'places'> }> {
  return store.read(id, function* () {
    const row = yield* readTree(id);
    const { nodes, complete } =
      here === null || here === row.rootId
        ? { nodes: [], complete: true }
        : yield* ask('path', { to: here, limit: shownAtMost });
    const title = row.attributes.title ?? row.attributes.autoTitle ?? null;
    return { row, shown: { title, nodes, more: !complete, places: yield* variantNumbers(nodes) } };
  });
}
