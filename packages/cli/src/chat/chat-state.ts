/** The state of the chat screen: the thread, the running reply, questions and notices. */
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
import type { TurnEvent } from '@coppice/engine';
import { readVariantPositions } from '../variants.ts';

/** The levels of thinking, lowest first. */
export const thinkingEfforts = ['low', 'medium', 'high'] as const;

type ThinkingLevel = (typeof thinkingEfforts)[number];

/** A reply while it arrives. */
export interface PartialReply {
  readonly nodeId: NodeId | null;
  readonly text: string;
  readonly thinking: string;
  /** The tool calls as text, oldest first. */
  readonly calls: readonly string[];
}

/** A question that the user answers before something runs. */
export interface ApprovalQuestion {
  /** The command or tool call that would run, with all its parameters. */
  readonly text: string;
  /** Whether the user may allow such calls for the rest of the chat. */
  readonly canAllow: boolean;
  answer(approved: boolean | 'always'): void;
}

/** Everything that the screen shows. */
export interface ChatState {
  /** The chat; null before its first message. */
  readonly treeId: TreeId | null;
  /** The chat that was opened; null for a new one, also after its first message. */
  readonly opened: TreeId | null;
  readonly title: string | null;
  /** The end of the thread, newest last, limited in length. */
  readonly nodes: readonly Node[];
  /** Whether the branch has older messages that are not shown. */
  readonly more: boolean;
  /** Each node's position among its variants, as `[index, total]`. */
  readonly places: ReadonlyMap<NodeId, readonly [number, number]>;
  /** The title of the last bookmark among the shown nodes; null without a bookmark. */
  readonly branch: string | null;
  readonly growing: PartialReply | null;
  readonly model: string;
  /** How much the model thinks before it replies; for null the settings or the model decide. */
  readonly thinking: ThinkingLevel | null;
  /** The result of the last command, or an error. */
  readonly notice: { readonly text: string; readonly bad: boolean; readonly error?: AppError } | null;
  readonly question: ApprovalQuestion | null;
  /** The texts of the messages and commands that wait for the running action. */
  readonly waiting: readonly string[];
}

/** Returns the state of a chat before anything is read. */
export function createChatState(model: string, title: string | null): ChatState {
  return {
    treeId: null,
    opened: null,
    title,
    nodes: [],
    more: false,
    places: new Map(),
    branch: null,
    growing: null,
    model,
    thinking: null,
    notice: null,
    question: null,
    waiting: [],
  };
}

/** A reply without any content yet. */
export const emptyReply: PartialReply = { nodeId: null, text: '', thinking: '', calls: [] };

/** Returns a reply with the content of an event added; the same object if the event adds nothing. */
export function applyReplyEvent(growing: PartialReply, event: TurnEvent): PartialReply {
  switch (event.type) {
    case 'node':
      return event.status === 'pending' ? { ...emptyReply, nodeId: event.nodeId } : growing;
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

/** Reads the thread down to a node for display. */
export async function readChatView(
  store: Store,
  id: TreeId,
  here: NodeId | null,
): Promise<{
  readonly row: TreeRow;
  readonly shown: Pick<ChatState, 'treeId' | 'title' | 'nodes' | 'more' | 'places' | 'branch'>;
}> {
  return store.read(id, function* () {
    const row = yield* readTree(id);
    const { nodes, complete } =
      here === null || here === row.rootId
        ? { nodes: [], complete: true }
        : yield* ask('path', { to: here, limit: shownAtMost });
    const title = row.attributes.title ?? row.attributes.autoTitle ?? null;
    const names = new Map((yield* ask('bookmarks', {})).map((mark) => [mark.nodeId, mark.title]));
    const marked = nodes.findLast((node) => names.has(node.id));
    const branch = marked === undefined ? null : (names.get(marked.id) ?? null);
    return {
      row,
      shown: { treeId: id, title, nodes, more: !complete, places: yield* readVariantPositions(nodes), branch },
    };
  });
}
