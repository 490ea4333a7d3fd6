// Writes a branch as a rollout, so that `codex resume` can continue it. Original lines are written back unchanged.
import { type Block, isText, type Json, type JsonObject, type Message, type Node } from '@coppice/core';
import { blockDefinitionOf } from '../../blocks/index.ts';
import { deriveId } from '../../derive-id.ts';
import type { ExportedTree, WriteEvent, WriteOptions } from '../contract.ts';
import { embedBytes } from '../embed-bytes.ts';
import {
  assignExportedIds,
  buildLossEvent,
  findAttributeLosses,
  findBookmarkLosses,
  findExportedPath,
  findMetadataLosses,
  findOriginalTreeRecord,
  findProducerLosses,
  findSessionLosses,
  getConversationTimes,
} from '../exporting.ts';
import { formatIsoTime, getFilledText, objectAt, textAt } from '../fields.ts';
import { toOpenAiMessage } from '../openai-messages.ts';
import {
  encodeJsonLines,
  findOriginalLines,
  getPreservedLines,
  type NodeWithLines,
  toSafeFileName,
} from '../preserved-lines.ts';
import { codexName, codexNodeIdField } from './session.ts';

type Lose = (node: Node, what: string, message: string) => void;

/** Converts a picture or text to the content of a message or result. Other blocks are written as text. */
function contentItem(block: Block, role: string, node: Node, lose: Lose): JsonObject {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  if (isText(block)) return { type, text: block.text };
  const { record } = toOpenAiMessage({ role: 'user', content: [block] }, () => '');
  const [part] = Array.isArray(record.content) ? record.content : [];
  const url = typeof part === 'object' && part !== null && 'image_url' in part ? objectAt(part, 'image_url').url : null;
  if (block.type === 'image' && role !== 'assistant' && typeof url === 'string')
    return { type: 'input_image', image_url: url };
  lose(node, 'block', `A block of type ${block.type} is written as text.`);
  return { type, text: blockDefinitionOf(block).toText(block) };
}

function argumentsOf(block: Block): string {
  if ('arguments' in block && typeof block.arguments === 'string') return block.arguments;
  return JSON.stringify('parameters' in block ? block.parameters : {});
}

/** Converts one turn of a model to the items that Codex sends back to it. */
function replyItems(message: Message, node: Node, lose: Lose): JsonObject[] {
  const items: JsonObject[] = [];
  let content: Json[] = [];
  const close = () => {
    if (content.length > 0) items.push({ type: 'message', role: 'assistant', content });
    content = [];
  };
  for (const block of message.content) {
    if (block.type === 'thinking') {
      const { thinking = '', signature, redacted } = { ...block } as JsonObject;
      close();
      // Reasoning needs its id and its encrypted form; without both a provider rejects it.
      if (typeof signature === 'string' && typeof redacted === 'string')
        items.push({
          type: 'reasoning',
          id: signature,
          summary: [{ type: 'summary_text', text: thinking }],
          content: null,
          encrypted_content: redacted,
        });
      else lose(node, 'thinking', 'Its reasoning is left out: Codex can send back only reasoning of OpenAI.');
    } else if (block.type === 'tool-use' && 'id' in block && 'name' in block) {
      close();
      items.push({
        type: 'function_call',
        name: String(block.name),
        arguments: argumentsOf(block),
        call_id: String(block.id),
      });
    } else content.push(contentItem(block, 'assistant', node, lose));
  }
  close();
  return items;
}

function resultItem(message: Message, node: Node, lose: Lose): JsonObject {
  const [only] = message.content;
  const output: Json =
    message.content.length === 1 && only !== undefined && isText(only)
      ? only.text
      : message.content.map((block) => contentItem(block, 'tool', node, lose));
  return { type: 'function_call_output', call_id: message.tool_call_id ?? '', output };
}

const textsOf = (message: Message) => message.content.map((block) => (isText(block) ? block.text : '')).join('');

class CodexWriter {
  readonly lines: JsonObject[] = [];
  readonly losses: { readonly node: Node; readonly what: string; readonly message: string }[] = [];
  readonly id: string;
  readonly #tree: ExportedTree;
  readonly #thread: readonly Node[];
  readonly #options: WriteOptions;
  readonly #whole: boolean;
  #model: string | undefined;
  left = 0;

  constructor(tree: ExportedTree, thread: readonly Node[], options: WriteOptions) {
    this.#tree = tree;
    this.#thread = thread;
    this.#options = options;
    const original = findOriginalTreeRecord(tree, codexName);
    const nodes = findOriginalLines(tree, codexName, assignExportedIds(tree, codexName));
    // A changed rollout becomes a new session, because the program still has the original session.
    this.#whole = original !== undefined && nodes.every(({ unchanged, inPlace }) => unchanged && inPlace);
    this.id = this.#whole
      ? (original?.id ?? tree.treeId)
      : original === undefined
        ? tree.treeId
        : deriveId('codex-branch', tree.treeId, tree.activeNodeId ?? '');
  }

  get isWhole(): boolean {
    return this.#whole && this.#thread.length === this.#tree.nodes.length;
  }

  async write(): Promise<void> {
    const original = findOriginalTreeRecord(this.#tree, codexName);
    const leading = getPreservedLines(original?.record ?? {}, '$lines');
    if (this.isWhole) {
      // Preserved lines between two nodes keep their positions.
      const kept = [...leading];
      for (const one of this.#returning())
        for (const line of [...(one.kept?.lines ?? []), ...(one.kept?.after ?? [])]) kept.push(line);
      for (const { line } of kept.sort((a, b) => a.at - b.at)) this.lines.push(line);
      this.#close();
      return;
    }
    this.#header(leading[0]?.line, original?.id);
    for (const { line } of leading.slice(1)) this.lines.push(line);
    for (const one of this.#returning()) {
      if (one.kept !== null && one.unchanged) {
        const own = [...one.kept.lines, ...one.kept.after.filter(({ line }) => !isRollback(line))];
        const nodeLines = new Set(one.kept.lines.map(({ at }) => at));
        for (const { at, line } of own.sort((a, b) => a.at - b.at))
          this.lines.push(nodeLines.has(at) ? { ...line, [codexNodeIdField]: one.id } : line);
      } else await this.#node(one.node, one.id);
    }
    this.#close();
  }

  #returning(): NodeWithLines[] {
    return findOriginalLines(
      { ...this.#tree, nodes: this.#thread },
      codexName,
      assignExportedIds(this.#tree, codexName),
    );
  }

  #header(was: JsonObject | undefined, forkedFrom: string | undefined): void {
    const { systemPrompt, metadata = {} } = this.#tree.attributes;
    const timestamp = formatIsoTime(getConversationTimes(this.#tree).createdAt);
    const before = was?.type === 'session_meta' ? objectAt(was, 'payload') : {};
    this.#line(forkedFrom ?? this.id, timestamp, 'session_meta', {
      cwd: getFilledText(metadata, 'cwd') ?? '',
      originator: 'coppice',
      cli_version: '0.0.0',
      source: 'cli',
      ...before,
      id: this.id,
      timestamp,
      ...(systemPrompt === undefined ? {} : { base_instructions: { text: systemPrompt } }),
      ...(forkedFrom === undefined ? {} : { forked_from_id: forkedFrom }),
    });
  }

  /** Adds a line of a node. An empty id marks a line without a node. */
  #line(id: string, timestamp: string, type: string, payload: JsonObject): void {
    this.lines.push({ timestamp, type, payload, [codexNodeIdField]: id });
  }

  async #node(node: Node, id: string): Promise<void> {
    if (node.message === null) return;
    const lose: Lose = (lost, what, message) => this.losses.push({ node: lost, what, message });
    const at = formatIsoTime(node.createdAt);
    const message = await embedBytes(node.message, this.#options);
    if (node.kind === 'state') {
      this.left++;
      lose(node, 'markers', 'A marker of an extension is left out.');
      return;
    }
    if (node.kind === 'compaction') {
      this.#line(id, at, 'compacted', { message: textsOf(message) });
      return;
    }
    if (node.kind === 'branch-summary') lose(node, 'markers', 'A summary of another branch is written as a message.');
    if (message.role === 'assistant') {
      this.#context(node, at);
      for (const item of replyItems(message, node, lose)) this.#line(id, at, 'response_item', item);
      this.#event(at, 'agent_message', textsOf(message));
    } else if (message.role === 'tool') this.#line(id, at, 'response_item', resultItem(message, node, lose));
    else {
      const role = message.role === 'system' ? 'developer' : 'user';
      const content = message.content.map((block) => contentItem(block, role, node, lose));
      this.#line(id, at, 'response_item', { type: 'message', role, content });
      // The program lists only sessions with a user message event.
      if (role === 'user' && node.kind === 'message') this.#event(at, 'user_message', textsOf(message));
    }
  }

  #event(at: string, type: string, message: string): void {
    if (message !== '') this.#line('', at, 'event_msg', { type, message });
  }

  /** Writes a context line if the model differs from that of the previous reply. */
  #context(node: Node, at: string): void {
    const model = node.meta.source?.model_name;
    if (typeof model !== 'string' || model === this.#model) return;
    this.#model = model;
    this.#line('', at, 'turn_context', {
      cwd: getFilledText(this.#tree.attributes.metadata ?? {}, 'cwd') ?? '',
      approval_policy: 'on-request',
      sandbox_policy: { type: 'read-only' },
      model,
      summary: 'auto',
    });
  }

  #close(): void {
    const { title } = this.#tree.attributes;
    const was = textAt(findOriginalTreeRecord(this.#tree, codexName)?.record ?? {}, '$title');
    if (title !== undefined && title !== was)
      this.#line('', formatIsoTime(this.#options.now), 'event_msg', {
        type: 'thread_name_updated',
        thread_id: this.id,
        thread_name: title,
      });
  }
}

function isRollback(line: JsonObject): boolean {
  return objectAt(line, 'payload').type === 'thread_rolled_back';
}

/** Returns the file name by which the program finds a session: time and id. */
function rolloutName(id: string, tree: ExportedTree): string {
  const time = formatIsoTime(getConversationTimes(tree).createdAt).slice(0, 19).replaceAll(':', '-');
  return `rollout-${time}-${toSafeFileName(id, tree.treeId)}.jsonl`;
}

/** Writes one rollout per tree. An imported tree without changes is written completely, else only the active branch. */
export async function* write(trees: AsyncIterable<ExportedTree>, options: WriteOptions): AsyncGenerator<WriteEvent> {
  for await (const tree of trees) {
    const whole =
      findOriginalTreeRecord(tree, codexName) !== undefined && new CodexWriter(tree, tree.nodes, options).isWhole;
    const thread = whole ? tree.nodes : findExportedPath(tree);
    const writer = new CodexWriter(tree, thread, options);
    await writer.write();
    const shown = { ...tree, nodes: thread };
    const off = tree.nodes.length - thread.length;
    if (off > 0) yield buildLossEvent(tree, null, 'branches', `${off} messages off the current branch are left out.`);
    for (const { node, what, message } of writer.losses) yield buildLossEvent(tree, node, what, message);
    for (const event of findSessionLosses(shown)) if (event.loss.what !== 'system-prompt') yield event;
    yield* findMetadataLosses(shown, codexName, ['usage', 'excluded', 'failures', 'failed', 'cut-short', 'notes']);
    yield* findProducerLosses(shown, codexName);
    yield* findAttributeLosses(tree, codexName);
    yield* findBookmarkLosses(tree);
    yield { type: 'file', name: rolloutName(writer.id, tree), mediaType: 'application/jsonl' };
    yield* encodeJsonLines(writer.lines);
    yield { type: 'count', written: thread.length - writer.left, left: off + writer.left };
  }
}
