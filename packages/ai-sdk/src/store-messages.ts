/**
 * Stores lists of UI messages in a tree: finds the messages that are already stored and adds the others, without
 * duplicates.
 */
import { canonicalJson, deriveId, messageKit, sha256Hex } from '@coppice/content';
import {
  ask,
  type Node,
  type NodeId,
  type NodeMeta,
  nodeId,
  type ReadProgram,
  type RunContext,
  readPath,
  readTree,
  refuse,
  run,
  type Store,
  type TreeAttributes,
  type TreeId,
} from '@coppice/core';
import { bytesInMessages, type KnownBytes, restoreNodeBytes, storeBytes, withKnownBytes } from './stored-bytes.ts';
import {
  continuesMessage,
  isBeginningOfReply,
  isSameMessage,
  toUiChains,
  toUiNodes,
  type UiChain,
  type UiMessageJson,
  type UiNode,
  uiIdOf,
} from './ui-nodes.ts';

/** The tree of one chat, opened for its user. */
export interface ChatTreeAccess {
  readonly store: Store;
  readonly id: TreeId;
  readonly actor: string;
  readonly now: () => number;
  readonly newId: () => string;
}

/** The stored end of a list of messages. */
export interface StoredMessagesResult {
  /** The last node of the last message. */
  readonly end: NodeId;
  /** Whether a message was added or changed. */
  readonly changed: boolean;
}

interface NewUiNode extends UiNode {
  readonly id: NodeId;
}

/** The changes with which a list of messages is stored. */
interface KeepPlan {
  readonly annotate: readonly { readonly id: NodeId; readonly meta: NodeMeta }[];
  readonly parentId: NodeId;
  readonly add: readonly NewUiNode[];
  /** The messages that are not stored yet. */
  readonly fresh: readonly UiMessageJson[];
  readonly activeId: NodeId | null;
}

export function createChatContext(tree: ChatTreeAccess, actId?: string): RunContext {
  const { actor, now, newId } = tree;
  return { actor, now, newId, kit: messageKit, ...(actId === undefined ? {} : { actId }) };
}

/** Reads the stored UI messages below a node that have a given id, each with all its nodes. */
function* chainsBelow(parent: NodeId, id: string, bytes: KnownBytes = new Map()): ReadProgram<UiChain[]> {
  const chains: UiChain[] = [];
  for (const first of yield* liveChildren(parent)) {
    if (first.kind !== 'message' || (uiIdOf(first) !== id && first.id !== id)) continue;
    const nodes = [first];
    for (let last = first; ; ) {
      const next: Node | undefined = (yield* liveChildren(last.id)).findLast((node) => continuesMessage(last, node));
      if (next === undefined) break;
      nodes.push(next);
      last = next;
    }
    chains.push(...toUiChains(withKnownBytes(nodes, bytes)));
  }
  return chains;
}

function* liveChildren(of: NodeId): ReadProgram<readonly Node[]> {
  const [ids = []] = yield* ask('childIds', { of: [of] });
  return ids.length === 0 ? [] : yield* ask('nodes', { ids });
}

/** The changes that turn a stored message into a posted message that continues it: new metadata and new nodes. */
interface Growth {
  readonly annotate: KeepPlan['annotate'];
  readonly rest: readonly UiNode[];
}

/** Returns undefined if the posted message does not continue the stored one. */
function growthOf(chain: UiChain, posted: UiMessageJson): Growth | undefined {
  const { message } = chain;
  if (isSameMessage(message, posted)) return { annotate: [], rest: [] };
  // A whole reply may have got metadata after its last step was stored.
  const isWhole = canonicalJson(posted.parts) === canonicalJson(message.parts) && hasOtherFields(posted, message);
  if (!isWhole && isBeginningOfReply(posted, message)) return { annotate: [], rest: [] };
  const wanted = inStoredOrder(toUiNodes(posted), chain.nodes);
  const annotate: { id: NodeId; meta: NodeMeta }[] = [];
  for (const [at, node] of chain.nodes.entries()) {
    const one = wanted[at];
    if (one === undefined || node.message === null) return undefined;
    if (messageText(one.message) !== messageText(node.message)) return undefined;
    const { uiMessage } = one.meta;
    if (JSON.stringify(uiMessage) !== JSON.stringify(node.meta.uiMessage))
      annotate.push({ id: node.id, meta: { uiMessage } });
  }
  return { annotate, rest: wanted.slice(chain.nodes.length) };
}

/** Whether a message has fields that the stored one lacks or has with other values. */
function hasOtherFields(posted: UiMessageJson, stored: UiMessageJson): boolean {
  return Object.keys(posted).some(
    (key) => key !== 'parts' && canonicalJson(posted[key] ?? null) !== canonicalJson(stored[key] ?? null),
  );
}

function messageText(message: object): string {
  return canonicalJson(JSON.parse(JSON.stringify(message)));
}

/**
 * Moves results that are already stored before the other results of their step, because results arrive in any order.
 */
function inStoredOrder(wanted: readonly UiNode[], stored: readonly Node[]): UiNode[] {
  const places = new Map(stored.map((node, at) => [node.message?.tool_call_id ?? '', at]));
  const ordered: UiNode[] = [];
  let results: UiNode[] = [];
  const place = ({ message }: UiNode) => places.get(message.tool_call_id ?? '') ?? stored.length;
  const close = () => {
    ordered.push(...results.toSorted((one, other) => place(one) - place(other)));
    results = [];
  };
  for (const node of wanted) {
    if (node.message.role === 'tool') results.push(node);
    else {
      close();
      ordered.push(node);
    }
  }
  close();
  return ordered;
}

/** Derives the ids of a message's new nodes. The same message at the same place always gets the same ids. */
function* nameNodes(
  tree: ChatTreeAccess,
  parentId: NodeId,
  message: UiMessageJson,
  own: boolean,
): ReadProgram<readonly NewUiNode[]> {
  const derived = nodeId(deriveId('ai-sdk', tree.id, parentId, message.id));
  // Another version of the message already has these ids, for example after an edit.
  const first = own
    ? nodeId(message.id)
    : (yield* ask('taken', { ids: [derived] })).length === 0
      ? derived
      : nodeId(deriveId('ai-sdk', tree.id, parentId, message.id, sha256Hex(messageText(message))));
  return nameFrom(first, message);
}

/** Derives the ids of a message's nodes from the id of the first node. */
function nameFrom(first: NodeId, message: UiMessageJson): readonly NewUiNode[] {
  const [head, ...rest] = toUiNodes(message);
  return head === undefined ? [] : [{ ...head, id: first }, ...nameBelow(first, rest)];
}

function nameBelow(parent: NodeId, nodes: readonly UiNode[]): NewUiNode[] {
  let above = parent;
  return nodes.map((node) => {
    above = nodeId(deriveId('ai-sdk', above, messageText(node.message)));
    return { ...node, id: above };
  });
}

/**
 * Plans how to store messages below a parent. Null means the top of the tree. Undefined means the active branch: if the
 * branch contains the first message already, as after an edit, the messages get the same parent as that message;
 * otherwise they are added at the end.
 */
function* planKeeping(
  tree: ChatTreeAccess,
  messages: readonly UiMessageJson[],
  below: NodeId | null | undefined,
  own: boolean,
  bytes: KnownBytes,
): ReadProgram<KeepPlan> {
  const { rootId, activeNodeId } = yield* readTree(tree.id);
  // Most lists repeat the active branch, so one read finds all of them.
  const isOnActive = below === null || below === undefined;
  const path = isOnActive && activeNodeId !== null ? yield* readPath({ to: activeNodeId }) : [];
  const active = toUiChains(withKnownBytes(path, bytes));
  const known = below === undefined ? active.findLast(({ message }) => message.id === messages[0]?.id) : undefined;
  let parentId = known?.nodes[0]?.parentId ?? (below === undefined ? (activeNodeId ?? rootId) : (below ?? rootId));
  const annotate: KeepPlan['annotate'][number][] = [];
  const add: NewUiNode[] = [];
  const fresh: UiMessageJson[] = [];
  let along = below === null;
  for (const [at, message] of messages.entries()) {
    const next = along ? active[at] : undefined;
    const candidates = next?.message.id === message.id && next.nodes[0]?.parentId === parentId ? [next] : [];
    let found = add.length > 0 ? undefined : findGrowth(candidates, message);
    if (found === undefined) along = false;
    if (found === undefined && add.length === 0)
      found = findGrowth(yield* chainsBelow(parentId, message.id, bytes), message);
    if (found === undefined) {
      fresh.push(message);
      add.push(...(yield* nameNodes(tree, add.at(-1)?.id ?? parentId, message, own)));
    } else {
      parentId = found.chain.nodes.at(-1)?.id ?? parentId;
      annotate.push(...found.growth.annotate);
      add.push(...nameBelow(parentId, found.growth.rest));
    }
  }
  return { annotate, parentId, add, fresh, activeId: activeNodeId };
}

function findGrowth(chains: readonly UiChain[], message: UiMessageJson) {
  for (const chain of chains.toReversed()) {
    const growth = growthOf(chain, message);
    if (growth !== undefined) return { chain, growth };
  }
  return undefined;
}

/** Where messages are stored, and whether they become active. */
export interface StoreMessagesOptions {
  /**
   * The parent of the messages. Null means the top of the tree. Undefined means the active branch: the parent of the
   * first message if the branch contains that message already, otherwise the end of the branch.
   */
  readonly below?: NodeId | null | undefined;
  /** Joins the changes to one act, which is undone as a whole. */
  readonly actId: string;
  /** Whether this package generated the message ids, so that they are node ids. */
  readonly own?: boolean;
  /** Called with each message that is not stored yet, before anything is written. */
  readonly onNew?: (message: UiMessageJson) => void;
  /** Makes the last message active: always, or only if the parent of the messages is still active. */
  readonly select: 'always' | 'if-there';
}

/** Stores messages in an existing tree. Storing the same messages again changes nothing. */
export async function storeMessages(
  tree: ChatTreeAccess,
  messages: readonly UiMessageJson[],
  { below, actId, own = false, onNew, select }: StoreMessagesOptions,
): Promise<StoredMessagesResult> {
  const { store, id: treeId } = tree;
  const bytes = bytesInMessages(messages);
  const plan = await store.read(treeId, () => planKeeping(tree, messages, below, own, bytes));
  if (onNew !== undefined) for (const message of plan.fresh) onNew(message);
  const context = createChatContext(tree, actId);
  for (const { id, meta } of plan.annotate)
    await run(store, { type: 'annotate', treeId, nodeId: id, set: { ...meta } }, context);
  const end = plan.add.at(-1)?.id ?? plan.parentId;
  const selects = select === 'always' || plan.activeId === plan.parentId;
  if (plan.add.length > 0) {
    const added = (await storeBytes(plan.add, store.blobs)).map(({ id, message, meta }) => ({ id, message, meta }));
    await run(store, { type: 'append', treeId, parentId: plan.parentId, messages: added, select: selects }, context);
  } else if (select === 'always' && plan.activeId !== end)
    await run(store, { type: 'select', treeId, nodeId: end }, context);
  return { end, changed: plan.add.length > 0 || plan.annotate.length > 0 };
}

/**
 * Creates the tree of a chat with its first messages, as one act. If the messages cannot be stored, no tree is created.
 * Ids are derived, so that two processes which create the same chat at the same time create the same nodes.
 */
export async function createChat(
  tree: ChatTreeAccess,
  messages: readonly UiMessageJson[],
  { attributes, actId }: { readonly attributes: TreeAttributes; readonly actId: string },
): Promise<StoredMessagesResult> {
  const { store, id: treeId } = tree;
  const rootId = nodeId(deriveId('ai-sdk', treeId));
  const add: NewUiNode[] = [];
  for (const message of messages) {
    const parentId = add.at(-1)?.id ?? rootId;
    add.push(...nameFrom(nodeId(deriveId('ai-sdk', treeId, parentId, message.id)), message));
  }
  const command = {
    type: 'create' as const,
    treeId,
    rootId,
    attributes,
    messages: (await storeBytes(add, store.blobs)).map(({ id, message, meta }) => ({ id, message, meta })),
  };
  const { result } = await run(store, command, createChatContext(tree, actId));
  return { end: add.at(-1)?.id ?? rootId, changed: (result.added?.length ?? 0) > 0 };
}

/** The UI messages of a branch, and the system prompt of its tree. */
export interface ChatBranch {
  readonly messages: readonly UiMessageJson[];
  readonly systemPrompt: string | undefined;
}

/** Reads a branch down to a node, or the active branch. With `forModel`, excluded messages are left out. */
export async function readBranch(
  { store, id }: ChatTreeAccess,
  { to, forModel = false }: { readonly to?: NodeId; readonly forModel?: boolean } = {},
): Promise<ChatBranch> {
  const { shown, systemPrompt } = await store.read(id, function* () {
    const { activeNodeId, attributes } = yield* readTree(id);
    const end = to ?? activeNodeId;
    const path = end === null ? [] : yield* readPath({ to: end });
    const shown = forModel ? path.filter((node) => node.meta.excluded !== true) : path;
    return { shown, systemPrompt: attributes.systemPrompt };
  });
  const chains = toUiChains(await restoreNodeBytes(shown, store.blobs));
  return { messages: chains.map(({ message }) => message), systemPrompt };
}

/** Returns a stored message with the bytes of its images and files. */
async function withChainBytes(chain: UiChain, blobs: Store['blobs']): Promise<UiChain> {
  const [whole = chain] = toUiChains(await restoreNodeBytes(chain.nodes, blobs));
  return whole;
}

/** Reads the UI message whose first node is given, with all its nodes. */
export async function readUiMessageAt({ store, id }: ChatTreeAccess, first: NodeId): Promise<UiChain> {
  const found = await store.read(id, function* () {
    const node = yield* ask('node', { id: first });
    if (node === null || node.parentId === null)
      return refuse('tree/unknown-node', `There is no message ${first}.`, { nodeId: first });
    const chains = yield* chainsBelow(node.parentId, uiIdOf(node));
    return (
      chains.find(({ nodes }) => nodes[0]?.id === first) ??
      refuse('tree/unknown-node', `There is no message at ${first}.`, { nodeId: first })
    );
  });
  return withChainBytes(found, store.blobs);
}

/** Reads the last visited reply to a prompt; undefined if there is none. */
export async function readLastReply({ store, id }: ChatTreeAccess, prompt: NodeId): Promise<UiMessageJson | undefined> {
  const chain = await store.read(id, function* () {
    const replies = (yield* liveChildren(prompt)).filter(
      (node) => node.role === 'assistant' && node.kind === 'message',
    );
    const head = yield* ask('head', { id: prompt });
    const reply = replies.find((node) => node.id === head?.lastChildId) ?? replies.at(-1);
    return reply === undefined ? undefined : (yield* chainsBelow(prompt, uiIdOf(reply))).at(-1);
  });
  return chain === undefined ? undefined : (await withChainBytes(chain, store.blobs)).message;
}

/** Reads the UI message whose last node is given, and the parent of that message; null at the top of the tree. */
export async function readLastMessage(
  { store, id }: ChatTreeAccess,
  end: NodeId,
): Promise<{ readonly above: NodeId | null; readonly message: UiMessageJson | undefined }> {
  const last = await store.read(id, function* () {
    return toUiChains(yield* readPath({ to: end })).at(-1);
  });
  if (last === undefined) return { above: null, message: undefined };
  const { message } = await withChainBytes(last, store.blobs);
  return { above: last.nodes[0]?.parentId ?? null, message };
}

/**
 * Selects the question to answer again: the message with the given id on the active branch, or the question above if
 * that message is a reply. Without an id the last message is meant. Returns the last node of the question.
 */
export async function selectQuestion(tree: ChatTreeAccess, messageId: string | undefined): Promise<NodeId> {
  const { store, id: treeId } = tree;
  const end = await store.read(treeId, function* () {
    const { activeNodeId } = yield* readTree(treeId);
    const chains = activeNodeId === null ? [] : toUiChains(yield* readPath({ to: activeNodeId }));
    const at = chains.findLastIndex(({ message }) => messageId === undefined || message.id === messageId);
    const question = chains[at]?.message.role === 'user' ? chains[at] : chains[at - 1];
    return question?.nodes.at(-1)?.id;
  });
  if (end === undefined)
    return refuse(
      'tree/unknown-node',
      'There is no message to answer again.',
      messageId === undefined ? {} : { messageId },
    );
  await run(store, { type: 'select', treeId, nodeId: end }, createChatContext(tree));
  return end;
}

/** Selects the last visited reply below a message, if that message is still active. */
export async function selectLastReply(tree: ChatTreeAccess, at: NodeId): Promise<void> {
  const { store, id: treeId } = tree;
  const end = await store.read(treeId, function* () {
    const { activeNodeId } = yield* readTree(treeId);
    return activeNodeId === at ? yield* ask('lastVisited', { from: at }) : at;
  });
  if (end !== at) await run(store, { type: 'select', treeId, nodeId: end }, createChatContext(tree));
}
