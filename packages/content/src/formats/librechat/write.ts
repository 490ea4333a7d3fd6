import type { Block, Json, JsonObject, Message, Node } from '@coppice/core';
import { isText } from '@coppice/core';
import { pairTools, parseUsage } from '@coppice/core/context';
import { blockDefinitionOf } from '../../blocks/index.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findMetadataLosses,
  findOriginalTreeRecord,
  findStatusLosses,
} from '../exporting.ts';
import { formatIsoTime, getFilledText, isJsonObject, numberAt, objectAt, omitKeys } from '../fields.ts';
import { flattenToolResult } from '../flatten-tool-result.ts';
import { toOpenAiMessage } from '../openai-messages.ts';
import { toSafeFileName } from '../preserved-lines.ts';
import { findTurnAuthor, groupIntoTurns, type RecordTurn } from '../record-turns.ts';
import { nullUuid } from './read.ts';

const name = 'librechat';

interface LibrechatLoss {
  readonly node: Node | null;
  readonly what: string;
  readonly message: string;
}

const plainContent = (block: Block) => blockDefinitionOf(block).toText(block);

function toolArguments(block: Block): string {
  if ('arguments' in block && typeof block.arguments === 'string') return block.arguments;
  return JSON.stringify('parameters' in block ? block.parameters : {});
}

/** Returns the descriptions of the files of a turn, as LibreChat stores them. */
function outgoingFiles({ nodes }: RecordTurn): JsonObject {
  const files: JsonObject[] = [];
  for (const { message } of nodes)
    for (const block of message?.content ?? [])
      if (block.type === 'librechat-file') files.push(omitKeys(JSON.parse(JSON.stringify(block)), 'type'));
  return files.length === 0 ? {} : { files };
}

class LibrechatConversation {
  readonly losses: LibrechatLoss[] = [];
  readonly turns: ReturnType<typeof groupIntoTurns>;
  readonly #tree: ExportedTree;
  readonly #options: WriteOptions;
  readonly #id: string;
  readonly #ids: ReadonlySet<string>;
  readonly #messages = new Map<RecordTurn, JsonObject>();

  constructor(tree: ExportedTree, id: string, options: WriteOptions) {
    this.#tree = tree;
    this.#options = options;
    this.#id = id;
    this.turns = groupIntoTurns(tree, name);
    this.#ids = new Set(this.turns.ordered.map((turn) => turn.id));
  }

  async write(): Promise<void> {
    for (const turn of this.turns.ordered) {
      const body = turn.original ?? (await this.#make(turn));
      this.#messages.set(turn, { ...body, parentMessageId: this.#parentOf(turn, body) });
    }
    for (const node of this.turns.left) this.#lose(node, 'markers', 'A marker of an extension is left out.');
    for (const node of this.turns.lifted)
      this.#lose(node, 'steps', 'Its parent is a step of a reply; it is written below the whole reply.');
    this.#active();
  }

  messageOf(turn: RecordTurn): JsonObject {
    return this.#messages.get(turn) ?? {};
  }

  /**
   * Returns the parent id. A first message gets the null UUID, or its original parent id if that parent was missing.
   */
  #parentOf(turn: RecordTurn, body: JsonObject): Json {
    if (turn.parent !== null) return turn.parent.id;
    const was = body.parentMessageId;
    if (!turn.first) return nullUuid;
    if (was === null) return null;
    return typeof was === 'string' && !this.#ids.has(was) ? was : nullUuid;
  }

  /** Reports a loss if the active node is not the newest message, which LibreChat treats as active. */
  #active(): void {
    const { activeNodeId } = this.#tree;
    // A turn has the time of its first step, but is never older than its parent.
    const times = new Map<RecordTurn, number>();
    let newest: RecordTurn | undefined;
    for (const turn of this.turns.ordered) {
      const above = turn.parent === null ? undefined : times.get(turn.parent);
      const at = Math.max(above ?? Number.NEGATIVE_INFINITY, turn.nodes[0]?.createdAt ?? 0);
      times.set(turn, at);
      if (newest === undefined || at >= (times.get(newest) ?? 0)) newest = turn;
    }
    if (activeNodeId === null || newest === undefined) return;
    if (this.turns.byNode.get(activeNodeId) !== newest)
      this.#lose(null, 'active', 'The current message is not marked; LibreChat shows the newest one.');
  }

  /**
   * Returns the turns in file order. Uses tree order if the file order would put variants or parents in the wrong
   * order.
   */
  get flat(): readonly RecordTurn[] {
    const roots = this.turns.ordered.filter((turn) => turn.parent === null);
    const rising = (turns: readonly RecordTurn[]) =>
      turns.every((turn, index) => index === 0 || (turns[index - 1]?.at ?? 0) <= turn.at);
    const follows = ({ parent, inPlace, at }: RecordTurn) => parent === null || inPlace || parent.at <= at;
    if (!rising(roots) || !this.turns.ordered.every((turn) => rising(turn.children) && follows(turn)))
      return this.turns.ordered;
    return [...this.turns.ordered].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }

  async #make(turn: RecordTurn): Promise<JsonObject> {
    const [first] = turn.nodes;
    const last = turn.nodes.at(-1);
    if (first === undefined || last === undefined) return {};
    const { was } = turn;
    const user = first.message?.role === 'user' && first.kind === 'message';
    const parts = await this.#parts(turn);
    const [only] = parts;
    const simple = parts.length === 0 || (parts.length === 1 && isJsonObject(only) && only.type === 'text');
    const text = isJsonObject(only) && simple ? (getFilledText(only, 'text') ?? '') : '';
    const said: JsonObject = simple ? { text } : { text: '', content: parts };
    // The message was edited in place, so author, time and other fields stay the same.
    if (was !== null) {
      const listed = Array.isArray(was.content) && was.content.length > 0;
      return { ...omitKeys(was, 'text', 'content'), ...(listed ? { text: was.text ?? '', content: parts } : said) };
    }
    if (first.kind !== 'message') this.#lose(first, 'markers', `A ${first.kind} is written as a reply.`);
    else if (first.message?.role === 'system') this.#lose(first, 'system', 'It is written as a reply.');
    if (first.groupId > 0) this.#lose(first, 'groups', 'It is written as a variant; its group is left out.');
    const { maker, others } = findTurnAuthor(turn);
    for (const node of others) this.#lose(node, 'steps', 'The model and token usage of this step are left out.');
    const source = maker.meta.source ?? {};
    const model = user ? undefined : getFilledText(source, 'model_name');
    const count = parseUsage(maker)?.outputTokens ?? numberAt(objectAt(source, 'usage'), 'outputTokens');
    return {
      messageId: turn.id,
      conversationId: this.#id,
      sender: user ? 'User' : first.message?.role === 'system' ? 'System' : (model ?? 'Assistant'),
      isCreatedByUser: user,
      ...said,
      ...outgoingFiles(turn),
      model: model ?? null,
      endpoint: user ? null : (getFilledText(source, 'provider') ?? null),
      error: last.status === 'error',
      unfinished: last.status !== 'success' && last.status !== 'error',
      ...(count === undefined || user ? {} : { tokenCount: count }),
      createdAt: formatIsoTime(first.createdAt),
      updatedAt: formatIsoTime(last.createdAt),
    };
  }

  /** Converts a turn to parts. Each call contains its results as one text. */
  async #parts(turn: RecordTurn): Promise<Json[]> {
    const said: { readonly node: Node; readonly message: Message }[] = [];
    for (const node of turn.nodes)
      if (node.message !== null) said.push({ node, message: await embedBytes(node.message, this.#options) });
    // Pairs calls and results by position, because some models restart their call ids in every step.
    const { calls, stray } = pairTools(said.map(({ message }) => message));
    const parts: Json[] = [];
    const made = new Map<string, { output?: string }>();
    for (const [index, { node, message }] of said.entries()) {
      if (message.role === 'tool') {
        if (!message.content.every(isText)) this.#lose(node, 'block', 'A block of a result is written as text.');
        if (stray.has(index)) this.#strayResult(node, message, made, parts);
        continue;
      }
      const pairs = calls.get(index) ?? [];
      for (const block of message.content) {
        const pair = pairs.find(({ call }) => call === block);
        // Files are stored outside the content.
        if (block.type === 'librechat-file') continue;
        if (pair === undefined) {
          parts.push(this.#part(node, block));
          continue;
        }
        const { id } = pair.call;
        // The text part before parallel calls lists these calls.
        if (pair === pairs[0] && pairs.length > 1)
          parts.push({ type: 'text', text: '', tool_call_ids: pairs.map(({ call }) => call.id) });
        const result = pair.result === null ? undefined : said[pair.result];
        const output = result === undefined ? undefined : flattenToolResult(result.message);
        const call = {
          id,
          name: pair.call.name,
          args: toolArguments(block),
          type: 'tool_call',
          progress: output === undefined ? 0.1 : 1,
          ...(output === undefined ? {} : { output }),
        };
        made.set(id, call);
        parts.push({ type: 'tool_call', tool_call: call });
      }
    }
    return parts;
  }

  /** Appends a further result of a call to the first result. A result without a call becomes a text. */
  #strayResult(node: Node, message: Message, made: ReadonlyMap<string, { output?: string }>, parts: Json[]): void {
    const call = made.get(message.tool_call_id ?? '');
    if (call?.output === undefined) {
      parts.push({ type: 'text', text: flattenToolResult(message) });
      this.#lose(node, 'block', 'A result without its call is written as text.');
      return;
    }
    call.output += `\n${flattenToolResult(message)}`;
    this.#lose(node, 'results', 'It is joined with the previous result.');
  }

  #part(node: Node, block: Block): JsonObject {
    const json: JsonObject = JSON.parse(JSON.stringify(block));
    if (isText(block)) return { type: 'text', text: block.text };
    if (block.type === 'thinking' && 'thinking' in block) {
      if ('signature' in block || 'redacted' in block)
        this.#lose(node, 'thinking', 'The signature of its reasoning is left out.');
      return { type: 'think', think: String(block.thinking) };
    }
    const own = /^librechat-(.+)$/.exec(block.type)?.[1];
    if (own !== undefined && own !== 'value') return { ...json, type: own };
    const { content } = toOpenAiMessage({ role: 'user', content: [block] }, plainContent).record;
    const [part] = Array.isArray(content) ? content : [];
    if (block.type === 'image' && isJsonObject(part)) return part;
    this.#lose(node, 'block', 'A block is written as text.');
    return { type: 'text', text: plainContent(block) };
  }

  #lose(node: Node | null, what: string, message: string): void {
    this.losses.push({ node, what, message });
  }
}

function* librechatLosses(tree: ExportedTree, conversation: LibrechatConversation): Generator<WriteEvent> {
  for (const { node, what, message } of conversation.losses) yield buildLossEvent(tree, node, what, message);
  yield* findMetadataLosses(tree, name, ['usage', 'excluded', 'failures', 'notes']);
  yield* findStatusLosses(tree, name, 'aborted', 'cut-short');
  yield* findAttributeLosses(tree, name);
  for (const node of tree.nodes)
    if (node.meta.tags !== undefined && node.meta.tags.length > 0)
      yield buildLossEvent(tree, node, 'tags', 'Its tags are left out.');
  yield* findBookmarkLosses(tree);
}

/** Writes nested messages in pieces, because a tree may be too deep for recursion. */
function* nested(conversation: LibrechatConversation): Generator<string> {
  const open: (RecordTurn | string)[] = [];
  const push = (turns: readonly RecordTurn[]) => {
    for (let index = turns.length - 1; index >= 0; index--) {
      const turn = turns[index];
      if (turn === undefined) continue;
      open.push(turn);
      if (index > 0) open.push(',');
    }
  };
  push(conversation.turns.ordered.filter((turn) => turn.parent === null));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      yield next;
      continue;
    }
    yield `${JSON.stringify(conversation.messageOf(next)).slice(0, -1)},"children":[`;
    open.push(']}');
    push(next.children);
  }
}

function librechatHead(tree: ExportedTree, id: string): JsonObject {
  const record = findOriginalTreeRecord(tree, name)?.record;
  const { title, autoTitle, systemPrompt } = tree.attributes;
  if (record !== undefined) {
    const renamed = title !== undefined && title !== record.title;
    return { ...omitKeys(record, '$key'), ...(renamed ? { title } : {}) };
  }
  return {
    conversationId: id,
    endpoint: 'openAI',
    title: title ?? autoTitle ?? 'Chat',
    branches: true,
    recursive: false,
    ...(systemPrompt === undefined ? {} : { options: { promptPrefix: systemPrompt } }),
  };
}

async function* writeLibrechatTree(tree: ExportedTree, options: WriteOptions): AsyncGenerator<WriteEvent> {
  const original = findOriginalTreeRecord(tree, name);
  const id = original?.id ?? tree.treeId;
  const conversation = new LibrechatConversation(tree, id, options);
  await conversation.write();
  yield* librechatLosses(tree, conversation);
  yield { type: 'file', name: `${toSafeFileName(id, tree.treeId)}.json`, mediaType: 'application/json' };
  const head = librechatHead(tree, id);
  const key = getFilledText(original?.record ?? {}, '$key') ?? 'messages';
  const open = JSON.stringify(head).slice(0, -1);
  yield { type: 'text', text: `${open}${open === '{' ? '' : ','}${JSON.stringify(key)}:[` };
  if (head.recursive === true || key === 'messagesTree')
    for (const text of nested(conversation)) yield { type: 'text', text };
  else
    for (const [index, turn] of conversation.flat.entries())
      yield { type: 'text', text: `${index === 0 ? '' : ','}${JSON.stringify(conversation.messageOf(turn))}` };
  yield { type: 'text', text: ']}\n' };
  const written = conversation.turns.ordered.length;
  const left = conversation.turns.left.length;
  yield { type: 'count', written, merged: tree.nodes.length - written - left, left };
}

/** Writes each conversation as one file. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) yield* writeLibrechatTree(tree, options);
}
