import type { Block, Json, JsonObject, Node, NodeId } from '@coppice/core';
import { isText } from '@coppice/core';
import { blockDefinitionOf } from '../../blocks/index.ts';
import { canonicalJson } from '../../canonical-json.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findExportedPath,
  findMetadataLosses,
  findOriginalTreeRecord,
  findStatusLosses,
  getConversationTimes,
} from '../exporting.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys } from '../fields.ts';
import { flattenToolResult } from '../flatten-tool-result.ts';
import { toOpenAiMessage } from '../openai-messages.ts';
import { findTurnAuthor, groupIntoTurns, type RecordTurn } from '../record-turns.ts';
import { findGroupFieldsToWrite, groupFieldKey } from './groups.ts';

const name = 'open-webui';
const unixSeconds = (at: number) => Math.floor(at / 1000);

interface OpenWebuiLoss {
  readonly node: Node;
  readonly what: string;
  readonly message: string;
}

/** The content of a turn: text, images and the structured items of a reply. */
interface ChatContent {
  readonly text: string;
  readonly files: Json[];
  readonly output: Json[];
  /** Whether the items contain more than the text. */
  readonly structured: boolean;
}

/** The parts of a {@link ChatContent}, before its texts are joined. */
interface ChatParts extends Pick<ChatContent, 'files' | 'output'> {
  readonly texts: string[];
}

/**
 * Returns the original entry of a file, because a block does not store the entry's type. Builds an entry for a new
 * file.
 */
function chatFile(block: JsonObject, was: JsonObject | null): JsonObject {
  const reported = omitKeys(block, 'type');
  const same = canonicalJson(reported);
  for (const file of listAt(was ?? {}, 'files'))
    if (isJsonObject(file) && canonicalJson(omitKeys(file, 'type')) === same) return file;
  return { type: 'file', ...reported };
}

function chatArguments(block: Block): string {
  if ('arguments' in block && typeof block.arguments === 'string') return block.arguments;
  return JSON.stringify('parameters' in block ? block.parameters : {});
}

class OpenWebuiChat {
  readonly messages: [string, JsonObject][] = [];
  readonly losses: OpenWebuiLoss[] = [];
  written = 0;
  merged = 0;
  left = 0;
  readonly #options: WriteOptions;
  readonly #turns: ReturnType<typeof groupIntoTurns>;
  readonly #current: NodeId | null;

  constructor(tree: ExportedTree, options: WriteOptions) {
    this.#options = options;
    this.#current = tree.activeNodeId;
    this.#turns = groupIntoTurns(tree, name);
  }

  async write(): Promise<void> {
    const bodies = new Map<RecordTurn, JsonObject>();
    for (const turn of this.#turns.ordered) bodies.set(turn, turn.original ?? (await this.#make(turn)));
    const groups = findGroupFieldsToWrite(this.#turns.ordered, bodies);
    for (const turn of this.#turns.ordered) {
      const links = {
        id: turn.id,
        parentId: turn.parent?.id ?? null,
        childrenIds: turn.children.map((child) => child.id),
      };
      const group = groups.get(turn);
      const noted = group === undefined ? {} : { [groupFieldKey]: { group } };
      this.messages.push([turn.id, { ...links, ...bodies.get(turn), ...noted }]);
      this.written++;
      this.merged += turn.nodes.length - 1;
    }
    for (const node of this.#turns.left) this.#lose(node, 'markers', 'A marker of an extension is left out.');
    for (const node of this.#turns.lifted)
      this.#lose(node, 'steps', 'Its parent is a step of a reply; it is written below the whole reply.');
    const current = this.#current === null ? undefined : this.#turns.byNode.get(this.#current);
    const step = current?.nodes.find((node) => node.id === this.#current);
    if (step !== undefined && step !== current?.nodes.at(-1))
      this.#lose(step, 'steps', 'It is current; the end of its reply will be.');
    this.left = this.#turns.left.length;
  }

  idOf(id: NodeId | null): string | null {
    return id === null ? null : (this.#turns.byNode.get(id)?.id ?? null);
  }

  async #make(turn: RecordTurn): Promise<JsonObject> {
    const [first] = turn.nodes;
    const last = turn.nodes.at(-1);
    if (first === undefined || last === undefined) return {};
    const said = await this.#said(turn);
    const role = first.message?.role === 'tool' ? 'assistant' : (first.message?.role ?? 'user');
    const { was } = turn;
    const files = said.files.length === 0 ? {} : { files: said.files };
    // The message was edited in place, so author, time and other fields stay the same.
    if (was !== null) {
      const output = said.structured ? { output: said.output } : {};
      return { ...omitKeys(was, 'content', 'output', 'files'), content: said.text, ...files, ...output };
    }
    if (first.kind === 'compaction' || first.kind === 'branch-summary' || first.kind === 'injected')
      this.#lose(first, 'markers', `A ${first.kind} is written as an ordinary message.`);
    const timestamp = unixSeconds(first.createdAt);
    if (role !== 'assistant') {
      const models = modelsOfQuestion(turn);
      return { role, content: said.text, ...files, timestamp, ...(models.length > 0 ? { models } : {}) };
    }
    const { maker, others } = findTurnAuthor(turn);
    for (const node of others) this.#lose(node, 'steps', 'The model and token usage of this step are left out.');
    const model = chatModel(maker) ?? '';
    const { usage } = maker.meta.source ?? {};
    return {
      role,
      content: said.text,
      ...files,
      ...(said.structured ? { output: said.output } : {}),
      model,
      modelName: model,
      modelIdx: this.#modelIndex(turn),
      done: last.status === 'success' || last.status === 'error',
      ...(last.status === 'error'
        ? { error: { content: getFilledText(last.meta.source ?? {}, 'error') ?? 'error' } }
        : {}),
      ...(isJsonObject(usage) ? { usage } : {}),
      timestamp,
    };
  }

  /** Returns the index of an answer among the answers of its group; 0 without a group. */
  #modelIndex(turn: RecordTurn): number {
    const group = turn.nodes[0]?.groupId ?? 0;
    if (group === 0 || turn.parent === null) return 0;
    return turn.parent.children.filter((one) => one.nodes[0]?.groupId === group).indexOf(turn);
  }

  async #said(turn: RecordTurn): Promise<ChatContent> {
    const texts: string[] = [];
    const files: Json[] = [];
    const output: Json[] = [];
    let structured = turn.nodes.length > 1;
    for (const node of turn.nodes) {
      if (node.message === null) continue;
      const message = await embedBytes(node.message, this.#options);
      if (message.role === 'tool') {
        structured = true;
        const item = { type: 'function_call_output', call_id: message.tool_call_id ?? '', output: [] as Json[] };
        item.output.push({ type: 'input_text', text: flattenToolResult(message) });
        if (!message.content.every(isText)) this.#lose(node, 'block', 'A block of a result is written as text.');
        output.push(item);
        continue;
      }
      for (const block of message.content) {
        if (isText(block)) {
          texts.push(block.text);
          output.push({
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: block.text }],
          });
        } else if (block.type === 'tool-use' && 'id' in block && 'name' in block) {
          structured = true;
          output.push({
            type: 'function_call',
            call_id: String(block.id),
            name: String(block.name),
            arguments: chatArguments(block),
            status: 'completed',
          });
        } else if (block.type === 'thinking' && 'thinking' in block) {
          structured = true;
          const redacted = 'redacted' in block && typeof block.redacted === 'string' ? block.redacted : undefined;
          output.push({
            type: 'reasoning',
            summary: [],
            content: [{ type: 'output_text', text: String(block.thinking) }],
            ...(redacted === undefined ? {} : { encrypted_content: redacted }),
          });
          if ('signature' in block) this.#lose(node, 'thinking', 'The signature of its reasoning is left out.');
        } else this.#other(node, block, turn.was, { texts, files, output });
      }
    }
    return { text: texts.join('\n'), files, output, structured };
  }

  #other(node: Node, block: Block, was: JsonObject | null, { texts, files, output }: ChatParts): void {
    const json: JsonObject = JSON.parse(JSON.stringify(block));
    if (block.type === 'open-webui-file') {
      files.push(chatFile(json, was));
      return;
    }
    const plain = (shown: Block) => blockDefinitionOf(shown).toText(shown);
    const { record } = toOpenAiMessage({ role: 'user', content: [block] }, plain);
    const [part] = Array.isArray(record.content) ? record.content : [];
    const url = isJsonObject(part) ? getFilledText(objectAt(part, 'image_url'), 'url') : undefined;
    if (block.type === 'image' && url !== undefined) {
      files.push({ type: 'image', url });
      return;
    }
    const text = plain(block);
    texts.push(text);
    output.push({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] });
    this.#lose(node, 'block', 'A block is written as text.');
  }

  #lose(node: Node, what: string, message: string): void {
    this.losses.push({ node, what, message });
  }
}

/**
 * Returns the models to which a question was sent: the models of a group of answers, else the model of the first
 * answer.
 */
function modelsOfQuestion({ children }: RecordTurn): string[] {
  const group = children.map((child) => child.nodes[0]?.groupId ?? 0).find((one) => one > 0);
  const answers = group === undefined ? children : children.filter((child) => child.nodes[0]?.groupId === group);
  const models = answers.flatMap((child) => chatModel(child.nodes[0]) ?? []);
  return group === undefined ? models.slice(0, 1) : models;
}

function chatModel(node: Node | undefined): string | undefined {
  return node?.message?.role === 'assistant' ? getFilledText(node.meta.source ?? {}, 'model_name') : undefined;
}

function* openWebuiLosses(tree: ExportedTree, chat: OpenWebuiChat): Generator<WriteEvent> {
  for (const { node, what, message } of chat.losses) yield buildLossEvent(tree, node, what, message);
  for (const node of tree.nodes)
    if (node.meta.tags !== undefined && node.meta.tags.length > 0)
      yield buildLossEvent(tree, node, 'tags', 'Its tags are left out.');
  yield* findMetadataLosses(tree, name, ['excluded', 'failures', 'notes']);
  yield* findStatusLosses(tree, name, 'aborted', 'cut-short');
  // A chat without a row has neither `pinned` nor tags.
  const bare = findOriginalTreeRecord(tree, name)?.record?.$form === 'chat';
  yield* findAttributeLosses(tree, name, bare ? [] : ['pinned', 'tags']);
  yield* findBookmarkLosses(tree);
}

/** Builds the chat around its messages: the original chat with the changes made in Coppice. */
function chatRow(tree: ExportedTree, chat: OpenWebuiChat): JsonObject {
  const original = findOriginalTreeRecord(tree, name);
  const { createdAt, updatedAt } = getConversationTimes(tree);
  const { title, autoTitle, systemPrompt, pinned, tags } = tree.attributes;
  const byId = new Map(chat.messages);
  const thread = [...new Set(findExportedPath(tree).map((node) => chat.idOf(node.id)))];
  // A copy of the active branch, which Open WebUI's search uses.
  const messages = thread.flatMap((id) => (id === null ? [] : (byId.get(id) ?? [])));
  const was = objectAt(original?.record ?? {}, 'chat');
  const history = {
    ...objectAt(was, 'history'),
    currentId: chat.idOf(tree.activeNodeId),
    messages: Object.fromEntries(chat.messages),
  };
  const called = title ?? autoTitle;
  const before = getFilledText(original?.record ?? {}, 'title') ?? getFilledText(was, 'title');
  const renamed = original === undefined || (title !== undefined && title !== before);
  const asked = 'system' in was || systemPrompt === undefined ? was.system : systemPrompt;
  const kept = {
    ...was,
    ...(renamed ? { title: called ?? 'Chat' } : {}),
    ...(asked === undefined || objectAt(was, 'params').system === systemPrompt ? {} : { system: asked }),
    history,
    messages,
  };
  if (original?.record !== undefined) {
    if (original.record.$form === 'chat') return kept;
    const { record } = original;
    const meta = objectAt(record, 'meta');
    const retagged = tags !== undefined && JSON.stringify(tags) !== JSON.stringify(meta.tags ?? []);
    return {
      ...record,
      ...(renamed ? { title: title ?? null } : {}),
      ...((pinned === true) === (record.pinned === true) ? {} : { pinned: pinned === true }),
      ...(retagged ? { meta: { ...meta, tags } } : {}),
      chat: kept,
    };
  }
  const models = [...new Set(tree.nodes.flatMap((node) => chatModel(node) ?? []))];
  return {
    id: tree.treeId,
    title: called ?? 'Chat',
    chat: { ...kept, models, params: {}, files: [], tags: [], timestamp: createdAt },
    created_at: unixSeconds(createdAt),
    updated_at: unixSeconds(updatedAt),
    share_id: null,
    archived: false,
    pinned: pinned === true,
    meta: tags === undefined ? {} : { tags },
    folder_id: null,
  };
}

/** Writes all chats into one file. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  yield { type: 'file', name: 'chats.json', mediaType: 'application/json' };
  let first = true;
  for await (const tree of trees) {
    const chat = new OpenWebuiChat(tree, options);
    await chat.write();
    yield* openWebuiLosses(tree, chat);
    yield { type: 'text', text: `${first ? '[' : ',\n'}${JSON.stringify(chatRow(tree, chat))}` };
    yield { type: 'count', written: chat.written, merged: chat.merged, left: chat.left };
    first = false;
  }
  yield { type: 'text', text: first ? '[]\n' : ']\n' };
}
