import type { Block, Json, JsonObject, Node, NodeId } from '@coppice/core';
import { isText, textOf } from '@coppice/core';
import { definitionOf } from '../../blocks/index.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { besideLosses, loss, originalTree, threadOf, timesOf } from '../exporting.ts';
import { filledAt, isJsonObject, objectAt, without } from '../fields.ts';
import { withBytes } from '../inline-bytes.ts';
import { toOpenAi } from '../openai-messages.ts';
import { type Turn, turnsOf } from '../turns.ts';

const name = 'open-webui';
const seconds = (at: number) => Math.floor(at / 1000);

interface Lost {
  readonly node: Node;
  readonly what: string;
  readonly message: string;
}

/** What a turn says: text, pictures and the structured items of a reply. */
interface Said {
  readonly text: string;
  readonly files: Json[];
  readonly output: Json[];
  /** Whether the items say more than the text does. */
  readonly structured: boolean;
}

function argumentsOf(block: Block): string {
  if ('arguments' in block && typeof block.arguments === 'string') return block.arguments;
  return JSON.stringify('parameters' in block ? block.parameters : {});
}

class Chat {
  readonly messages: [string, JsonObject][] = [];
  readonly losses: Lost[] = [];
  written = 0;
  merged = 0;
  left = 0;
  readonly #options: WriteOptions;
  readonly #turns: ReturnType<typeof turnsOf>;

  constructor(tree: ExportedTree, options: WriteOptions) {
    this.#options = options;
    this.#turns = turnsOf(tree, name);
  }

  async write(): Promise<void> {
    for (const turn of this.#turns.ordered) {
      const body = turn.original ?? (await this.#make(turn));
      const links = {
        id: turn.id,
        parentId: turn.parent?.id ?? null,
        childrenIds: turn.children.map((child) => child.id),
      };
      this.messages.push([turn.id, { ...links, ...body }]);
      this.written++;
      this.merged += turn.nodes.length - 1;
    }
    for (const node of this.#turns.left) this.#lose(node, 'markers', 'A marker of an extension is left out.');
    for (const node of this.#turns.lifted)
      this.#lose(node, 'steps', 'It hung on a step inside a reply; it is written below all of it.');
    this.left = this.#turns.left.length;
  }

  idOf(id: NodeId | null): string | null {
    return id === null ? null : (this.#turns.byNode.get(id)?.id ?? null);
  }

  async #make(turn: Turn): Promise<JsonObject> {
    const [first] = turn.nodes;
    const last = turn.nodes.at(-1);
    if (first === undefined || last === undefined) return {};
    const said = await this.#said(turn);
    const role = first.message?.role === 'tool' ? 'assistant' : (first.message?.role ?? 'user');
    const { was } = turn;
    const files = said.files.length === 0 ? {} : { files: said.files };
    // Edited in place: who, when and with what stay as they were.
    if (was !== null) {
      const output = said.structured ? { output: said.output } : {};
      return { ...without(was, 'content', 'output', 'files'), content: said.text, ...files, ...output };
    }
    if (first.kind === 'compaction' || first.kind === 'branch-summary' || first.kind === 'injected')
      this.#lose(first, 'markers', `A ${first.kind} is written as an ordinary message.`);
    const timestamp = seconds(first.createdAt);
    if (role !== 'assistant') {
      const models = turn.children.flatMap((child) => modelOf(child.nodes[0]) ?? []);
      return {
        role,
        content: said.text,
        ...files,
        timestamp,
        ...(models.length > 0 ? { models: [...new Set(models)] } : {}),
      };
    }
    const model = modelOf(last) ?? modelOf(first) ?? '';
    const { usage } = last.meta.source ?? {};
    return {
      role,
      content: said.text,
      ...files,
      ...(said.structured ? { output: said.output } : {}),
      model,
      modelName: model,
      modelIdx: this.#modelIndex(turn),
      done: last.status === 'success' || last.status === 'error',
      ...(last.status === 'error' ? { error: { content: filledAt(last.meta.source ?? {}, 'error') ?? 'error' } } : {}),
      ...(isJsonObject(usage) ? { usage } : {}),
      timestamp,
    };
  }

  /** Which of the answers to one question it is; 0 unless several were asked for in one act. */
  #modelIndex(turn: Turn): number {
    const group = turn.nodes[0]?.groupId ?? 0;
    if (group === 0 || turn.parent === null) return 0;
    return turn.parent.children.filter((one) => one.nodes[0]?.groupId === group).indexOf(turn);
  }

  async #said(turn: Turn): Promise<Said> {
    const texts: string[] = [];
    const files: Json[] = [];
    const output: Json[] = [];
    let structured = turn.nodes.length > 1;
    for (const node of turn.nodes) {
      if (node.message === null) continue;
      const message = await withBytes(node.message, this.#options);
      if (message.role === 'tool') {
        structured = true;
        const item = { type: 'function_call_output', call_id: message.tool_call_id ?? '', output: [] as Json[] };
        item.output.push({ type: 'input_text', text: textOf(message) });
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
            arguments: argumentsOf(block),
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
        } else this.#other(node, block, texts, files, output);
      }
    }
    return { text: texts.join('\n'), files, output, structured };
  }

  #other(node: Node, block: Block, texts: string[], files: Json[], output: Json[]): void {
    const json: JsonObject = JSON.parse(JSON.stringify(block));
    if (block.type === 'open-webui-file') {
      files.push(without(json, 'type'));
      return;
    }
    const plain = (shown: Block) => definitionOf(shown).toText(shown);
    const { record } = toOpenAi({ role: 'user', content: [block] }, plain);
    const [part] = Array.isArray(record.content) ? record.content : [];
    const url = isJsonObject(part) ? filledAt(objectAt(part, 'image_url'), 'url') : undefined;
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

function modelOf(node: Node | undefined): string | undefined {
  return node?.message?.role === 'assistant' ? filledAt(node.meta.source ?? {}, 'model_name') : undefined;
}

function* lossesOf(tree: ExportedTree, chat: Chat): Generator<WriteEvent> {
  for (const { node, what, message } of chat.losses) yield loss(tree, node, what, message);
  const roles = new Map(tree.nodes.map((node) => [node.id, node.role]));
  for (const node of tree.nodes) {
    if (node.meta.tags !== undefined && node.meta.tags.length > 0)
      yield loss(tree, node, 'tags', 'Its tags are left out.');
    // Answers to one question are told apart there; edits and what has no question above it are not.
    const asked = node.parentId !== null && roles.get(node.parentId) === 'user';
    if (node.groupId > 0 && !(node.role === 'assistant' && asked))
      yield loss(tree, node, 'groups', 'It is written as a variant; which act made it is left out.');
  }
  yield* besideLosses(tree, name, ['excluded', 'failures', 'notes']);
  for (const { nodeId, title } of tree.bookmarks)
    yield {
      type: 'loss',
      loss: {
        what: 'bookmarks',
        place: `${tree.treeId} ${nodeId}`,
        message: `The bookmark ${JSON.stringify(title)} is left out.`,
      },
    };
}

/** The chat around its messages: as it came, with what was changed here. */
function rowOf(tree: ExportedTree, chat: Chat): JsonObject {
  const original = originalTree(tree, name);
  const { createdAt, updatedAt } = timesOf(tree);
  const { title, autoTitle, systemPrompt, pinned, tags } = tree.attributes;
  const byId = new Map(chat.messages);
  const thread = [...new Set(threadOf(tree).map((node) => chat.idOf(node.id)))];
  // A copy of the thread, which search reads there.
  const messages = thread.flatMap((id) => (id === null ? [] : (byId.get(id) ?? [])));
  const was = objectAt(original?.record ?? {}, 'chat');
  const history = {
    ...objectAt(was, 'history'),
    currentId: chat.idOf(tree.activeNodeId),
    messages: Object.fromEntries(chat.messages),
  };
  const called = title ?? autoTitle;
  const before = filledAt(original?.record ?? {}, 'title') ?? filledAt(was, 'title');
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
    return { ...record, ...(renamed ? { title: title ?? null } : {}), chat: kept };
  }
  const models = [...new Set(tree.nodes.flatMap((node) => modelOf(node) ?? []))];
  return {
    id: tree.treeId,
    title: called ?? 'Chat',
    chat: { ...kept, models, params: {}, files: [], tags: [], timestamp: createdAt },
    created_at: seconds(createdAt),
    updated_at: seconds(updatedAt),
    share_id: null,
    archived: false,
    pinned: pinned === true,
    meta: tags === undefined ? {} : { tags },
    folder_id: null,
  };
}

/** Writes one file of chats. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  yield { type: 'file', name: 'chats.json', mediaType: 'application/json' };
  let first = true;
  for await (const tree of trees) {
    const chat = new Chat(tree, options);
    await chat.write();
    yield* lossesOf(tree, chat);
    yield { type: 'text', text: `${first ? '[' : ',\n'}${JSON.stringify(rowOf(tree, chat))}` };
    yield { type: 'count', written: chat.written, merged: chat.merged, left: chat.left };
    first = false;
  }
  yield { type: 'text', text: first ? '[]\n' : ']\n' };
}
