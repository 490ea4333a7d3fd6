/**
 * The actions of a user on an open tree, such as sending, editing and deleting. The view shows each action before the
 * server confirms it. The promise rejects with a `HttpProblem` if the server refuses the action.
 */
import {
  type BlockInput,
  type Bookmark,
  type Message,
  type MessageInput,
  type Node,
  type NodeId,
  nodeId,
  type Step,
  textMessage,
} from '@coppice/core';
import type { CombineMode, GenerationRequest } from './api/generations.ts';
import type { GenerationStartedAnswer, TreeViewData, WriteResponse } from './api-types.ts';
import { type EditOutcome, editMessage, type SeenContent } from './edit-message.ts';
import { HttpProblem, toHttpProblem } from './http.ts';
import { buildOptimisticNode } from './optimistic.ts';
import { isOnShownPath, refreshUnlessNavigated } from './refresh-unless-navigated.ts';
import type { TreeSession } from './session.ts';

/** The model, the number of replies and the sampling parameters of a request for replies. */
export interface GenerationOptions {
  /** The models as `provider/model`. If empty, the server uses its default model. */
  readonly models?: readonly string[];
  /** The number of replies of each model. Defaults to 1. */
  readonly n?: number;
  readonly temperature?: number | null;
  readonly topP?: number | null;
  /** The upper limit of tokens in each reply. */
  readonly maxTokens?: number | null;
  /** How much reasoning a model may do before it replies. Models without reasoning ignore it. */
  readonly thinking?: 'low' | 'medium' | 'high' | null;
  /** The names of the tools that the model may call. They are only sent if a single reply is requested. */
  readonly tools?: readonly string[];
}

/** Whether the message was stored, and the error if no reply was started. */
export interface GenerationResult {
  /** Whether the message is in the tree, even if its reply failed. If not, its text should return to the composer. */
  readonly sent: boolean;
  readonly problem: HttpProblem | null;
}

/** The attributes of a tree that a user can change. */
export type EditableTreeAttributes = Pick<Partial<TreeViewData>, 'title' | 'tags' | 'folder' | 'pinned'>;

/** Converts a message in a short form: a text is a message of the user. */
function toMessage(input: MessageInput): Message {
  if (typeof input === 'string') return textMessage('user', input);
  const { content, ...rest } = input;
  return { ...rest, content: typeof content === 'string' ? textMessage(rest.role, content).content : content };
}

type GenerationBody = Pick<
  GenerationRequest,
  'models' | 'n' | 'temperature' | 'topP' | 'maxTokens' | 'thinking' | 'tools'
>;

function generationBody(options: GenerationOptions): GenerationBody {
  const {
    models = [],
    n = 1,
    temperature = null,
    topP = null,
    maxTokens = null,
    thinking = null,
    tools = [],
  } = options;
  return {
    ...(models.length === 0 ? {} : { models }),
    ...(n > 1 ? { n } : {}),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
    ...(maxTokens === null ? {} : { maxTokens }),
    ...(thinking === null ? {} : { thinking: { effort: thinking } }),
    // The server refuses tools in a request for several replies.
    ...(tools.length === 0 || n > 1 || models.length > 1 ? {} : { tools }),
  };
}

export class TreeActions {
  readonly #session: TreeSession;

  constructor(session: TreeSession) {
    this.#session = session;
  }

  /** Returns a new id for a message. If the same message is sent twice with the same id, it is added once. */
  newNodeId(): NodeId {
    return nodeId(this.#session.connection.newId());
  }

  get #end(): NodeId | null {
    return this.#session.state.part?.leaf ?? null;
  }

  /** Returns the parent of the next message: the end of the view, or the root of the tree. */
  #parent(): NodeId {
    const { part, problem } = this.#session.state;
    // The reason why opening failed, which `open` itself only reports in the state.
    if (part === null)
      throw problem ?? new HttpProblem('client/not-open', 'The tree is not open; call open() first.', -1);
    const { tree } = part;
    return this.#end ?? tree.rootId;
  }

  #insert(id: NodeId, parentId: NodeId, message: Message): Step {
    const { state, connection } = this.#session;
    return { type: 'insert', node: buildOptimisticNode(state, { id, parentId, message }, connection.now()) };
  }

  /** Undoes an act; by default the newest one. */
  async undo(actId?: string): Promise<WriteResponse> {
    return this.#followed((version) =>
      this.#session.api.undo(this.#session.treeId, actId === undefined ? {} : { actId }, version),
    );
  }

  /** Redoes the act that was undone last. */
  async redo(): Promise<WriteResponse> {
    return this.#followed((version) => this.#session.api.redo(this.#session.treeId, version));
  }

  /** Sends a write, then moves the view to the new active node, unless the user has moved the view meanwhile. */
  async #followed(
    run: (version: number) => Promise<WriteResponse>,
    {
      steps = [],
      end = (written) => written.activeNodeId,
    }: {
      readonly steps?: readonly Step[];
      readonly end?: (written: WriteResponse) => NodeId | null | undefined;
    } = {},
  ): Promise<WriteResponse> {
    const follow = refreshUnlessNavigated(this.#session);
    const written = await this.#session.write(steps, run);
    await follow(end(written), written.version);
    return written;
  }

  /** Appends a message below a node (by default the end of the view), without generating a reply. */
  async append(
    input: MessageInput,
    { parentId = this.#parent(), id = this.newNodeId() }: { readonly parentId?: NodeId; readonly id?: NodeId } = {},
  ): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    const message = toMessage(input);
    const role = message.role === 'tool' ? 'user' : message.role;
    return this.#session.write(
      [this.#insert(id, parentId, message)],
      (version) => api.append(treeId, { parentId, messages: [{ id, role, content: message.content }] }, version),
      id,
    );
  }

  /** Sends a message below a node (by default the end of the view), and generates a reply. */
  async send(
    input: MessageInput,
    {
      parentId = this.#parent(),
      id = this.newNodeId(),
      ...options
    }: GenerationOptions & { readonly parentId?: NodeId; readonly id?: NodeId } = {},
  ): Promise<GenerationResult> {
    const message = toMessage(input);
    return this.#generate(
      {
        type: 'send',
        parentId,
        messages: [{ id, role: 'user', content: message.content }],
        onConflict: 'branch',
        ...generationBody(options),
      },
      { shown: { id, parentId, message } },
    );
  }

  /** Generates a reply below a message that exists. */
  reply(parentId: NodeId, options: GenerationOptions = {}): Promise<GenerationResult> {
    // If the parent is not on the shown path, the user has left its branch, and the reply must not move the view back.
    const follow = isOnShownPath(this.#session, parentId);
    const body = { type: 'reply', parentId, onConflict: 'branch', ...generationBody(options) } as const;
    return this.#generate(body, { follow });
  }

  /** Generates another reply to the same prompt. The old reply stays as a variant. */
  regenerate(id: NodeId, options: GenerationOptions = {}): Promise<GenerationResult> {
    return this.#generate({ type: 'regenerate', nodeId: id, onConflict: 'branch', ...generationBody(options) });
  }

  /** Generates one reply from several replies to one message, as another variant. */
  combine(
    nodeIds: readonly NodeId[],
    {
      way = 'combine',
      instructions = '',
      ...options
    }: GenerationOptions & { readonly way?: CombineMode; readonly instructions?: string } = {},
  ): Promise<GenerationResult> {
    return this.#generate({
      type: 'combine',
      nodeIds,
      way,
      ...(instructions === '' ? {} : { instructions }),
      onConflict: 'branch',
      ...generationBody({ ...options, tools: [] }),
    });
  }

  /** Continues a reply that was cut off. */
  continueReply(id: NodeId, { models = [], ...options }: GenerationOptions = {}): Promise<GenerationResult> {
    const body = generationBody({ ...options, models: models.slice(0, 1), n: 1, tools: [] });
    return this.#generate({ type: 'continue', nodeId: id, ...body });
  }

  async #generate(
    body: Omit<GenerationRequest, 'requestId' | 'expectedVersion'>,
    {
      shown = null,
      follow = true,
    }: {
      readonly shown?: { readonly id: NodeId; readonly parentId: NodeId; readonly message: Message } | null;
      readonly follow?: boolean;
    } = {},
  ): Promise<GenerationResult> {
    const session = this.#session;
    const requestId = session.connection.newId();
    const run = (version: number): Promise<GenerationStartedAnswer> =>
      session.api.generate(session.treeId, { ...body, requestId, expectedVersion: version });
    try {
      const steps = shown === null ? [] : [this.#insert(shown.id, shown.parentId, shown.message)];
      const beginning = session.write(steps, run, shown?.id);
      const { navigationCount } = session;
      const begun = await beginning;
      session.replies.setActOfReplies(
        begun.nodes.map((node) => node.nodeId),
        begun.actId,
      );
      if (follow) await session.followTurn(begun, navigationCount);
      return { sent: true, problem: null };
    } catch (thrown) {
      const problem = toHttpProblem(thrown);
      // The message may be in the tree although its reply failed. Then its text must not return to the composer.
      return { sent: shown !== null && (await this.#isStored(shown.id)), problem };
    }
  }

  /** Whether the server has a node, according to the feed or to a request. */
  async #isStored(id: NodeId): Promise<boolean> {
    if (this.#session.state.base?.nodes.has(id) === true) return true;
    return this.#session.api.node(this.#session.treeId, id).then(
      () => true,
      () => false,
    );
  }

  /** Stops a reply. The tree keeps the text that has arrived. */
  stop(id: NodeId): Promise<void> {
    return this.#session.api.abort(this.#session.treeId, id);
  }

  /**
   * Approves or rejects a tool call that waits. With `remember` an approval applies to later calls of the tool too.
   */
  approve(callId: string, approve: boolean, remember = false): Promise<void> {
    const actId = this.#session.state.calls.get(callId)?.actId;
    if (actId === undefined) return Promise.resolve();
    return this.#session.api.approve(actId, callId, approve, remember);
  }

  /**
   * Edits a message: as a variant, or in place. If another writer changed it first, both texts are kept as variants.
   * Pass the message as it was when editing began. If only its id is passed, the current text counts.
   */
  async edit(
    target: NodeId | SeenContent,
    content: string | readonly BlockInput[],
    mode: 'branch' | 'in-place' = 'branch',
  ): Promise<EditOutcome> {
    const blocks = typeof content === 'string' ? textMessage('user', content).content : content;
    return editMessage(this.#session, typeof target === 'string' ? this.#seenNow(target) : target, blocks, mode);
  }

  #seenNow(id: NodeId): SeenContent {
    const node = this.#session.state.part?.nodes.get(id);
    if (node === undefined) throw new HttpProblem('client/not-loaded', `The message ${id} is not loaded.`, -1);
    return { node, version: this.#session.version };
  }

  /**
   * Deletes a message: alone (`splice`, its children move up), with all descendants (`cascade`), or its whole group.
   */
  remove(id: NodeId, mode: 'splice' | 'cascade' | 'group' = 'splice'): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) => api.remove(treeId, id, mode, version), {
      steps: mode === 'cascade' ? [{ type: 'remove', nodeId: id }] : [],
      end: (written) => (mode === 'cascade' ? written.activeNodeId : undefined),
    });
  }

  /** Splits a message in two at an offset in its text. The second half keeps the children. */
  split(id: NodeId, position: number): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) => api.split(treeId, id, position, version), { end: () => undefined });
  }

  /** Joins a text message with its only child of the same role, which inverts a split. The child keeps its id. */
  join(id: NodeId): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) => api.join(treeId, id, version), { end: () => undefined });
  }

  /** Sets, renames or removes (null) the bookmark of a message. */
  setBookmark(id: NodeId, title: string | null): Promise<WriteResponse> {
    const { api, treeId, state, connection } = this.#session;
    const before = state.part?.bookmarks.get(id) ?? null;
    const now = connection.now();
    const after: Bookmark | null =
      title === null ? null : { nodeId: id, title, createdAt: before?.createdAt ?? now, updatedAt: now };
    return this.#session.write([{ type: 'bookmark', nodeId: id, after, before }], () =>
      title === null ? api.unbookmark(treeId, id) : api.bookmark(treeId, id, title),
    );
  }

  /** Merges fields into the metadata of a message, for example a field that excludes the message from model calls. */
  annotate(node: Node, set: Readonly<Record<string, unknown>>): Promise<WriteResponse> {
    return this.#annotate(node, set, () => this.#session.api.annotate(this.#session.treeId, node.id, set));
  }

  setMessageTitle(node: Node, title: string): Promise<WriteResponse> {
    return this.#annotate(node, { title }, () => this.#session.api.title(this.#session.treeId, node.id, title));
  }

  /** Replaces all tags of a message. */
  setTags(node: Node, tags: readonly string[]): Promise<WriteResponse> {
    return this.#annotate(node, { tags }, () => this.#session.api.tag(this.#session.treeId, node.id, tags));
  }

  #annotate(
    node: Node,
    after: Readonly<Record<string, unknown>>,
    run: () => Promise<WriteResponse>,
  ): Promise<WriteResponse> {
    const before = Object.fromEntries(Object.keys(after).map((key) => [key, node.meta[key] ?? null]));
    return this.#session.write([{ type: 'annotate', nodeId: node.id, after, before }], run);
  }

  /** Changes title, tags, folder or pin of the tree. */
  setAttributes(after: EditableTreeAttributes): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    const before = this.attributesBefore(after);
    return this.#session.write([{ type: 'attributes', after, before }], () => api.patch(treeId, after));
  }

  /** Returns the current values of the given attributes, from which a caller can build an undo. */
  attributesBefore(set: EditableTreeAttributes): EditableTreeAttributes {
    const tree = this.#session.state.part?.tree;
    if (tree === undefined) return {};
    return {
      ...(set.title === undefined ? {} : { title: tree.title }),
      ...(set.tags === undefined ? {} : { tags: tree.tags }),
      ...(set.folder === undefined ? {} : { folder: tree.folder }),
      ...(set.pinned === undefined ? {} : { pinned: tree.pinned }),
    };
  }

  /** Copies a message to the end of the view. */
  cherryPick(id: NodeId): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    const parent = this.#end === null ? {} : { parentId: this.#end };
    return this.#followed((version) => api.cherryPick(treeId, { nodeId: id, ...parent }, version));
  }

  /** Merges another branch into the shown one: as a summary, or message by message. */
  merge(
    id: NodeId,
    mode: 'summary' | 'messages',
    { summary = '', signal }: { readonly summary?: string; readonly signal?: AbortSignal } = {},
  ): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    const into = this.#end === null ? {} : { into: this.#end };
    const body = { nodeId: id, mode, ...(summary === '' ? {} : { summary }), ...into };
    return this.#followed((version) => api.merge(treeId, body, version, signal), {
      end: (written) => written.nodes.at(-1)?.id ?? written.activeNodeId,
    });
  }

  /** Moves a message with all its descendants below another parent. */
  move(id: NodeId, parentId: NodeId): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) => api.move(treeId, id, { parentId }, version), { end: () => undefined });
  }

  /** Summarises older messages, so that less is sent to the model. */
  compact({ focus = '', model }: { readonly focus?: string; readonly model?: string } = {}): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) =>
      api.compact(
        treeId,
        {
          ...(this.#end === null ? {} : { nodeId: this.#end }),
          ...(model === undefined ? {} : { model }),
          ...(focus === '' ? {} : { focus }),
        },
        version,
      ),
    );
  }

  /** Restores the tree to an earlier version, as a new version. */
  restoreVersion(past: number): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) => api.restoreVersion(treeId, past, version));
  }

  /** Removes the summary of a compaction. Then older messages are sent in full again. */
  undoCompaction(id: NodeId): Promise<WriteResponse> {
    const { api, treeId } = this.#session;
    return this.#followed((version) => api.remove(treeId, id, 'splice', version), { end: () => undefined });
  }
}
