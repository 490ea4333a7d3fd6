// Exports of LobeChat: one list of all messages, and lists of sessions, topics and threads. In versions with branches,
// messages name their parents, and a parent names its active answer. Exports of the database have a separate table of
// tool calls. They also name groups of messages (`messageGroupId`), but do not contain the table of groups.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedTree, type ReadEvent, type ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, omitKeys, parseAnyTime, textAt } from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { InputFile, SampleFile } from '../input.ts';
import { imageFromUrl } from '../openai-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkParentId, checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  parseStoredArguments,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'tool']);

/** Whether a value is a message in a form that only LobeChat writes. */
function isLobeMessage(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    typeof value.id === 'string' &&
    typeof value.role === 'string' &&
    'content' in value &&
    ('createdAt' in value || 'topicId' in value) &&
    ('sessionId' in value || 'topicId' in value || ('parentId' in value && ('meta' in value || 'metadata' in value)))
  );
}

function isLobeExport({ json }: Pick<SampleFile, 'json'>): boolean {
  if (Array.isArray(json)) return isLobeMessage(json[0]);
  if (!isJsonObject(json)) return false;
  const state = json.mode === 'postgres' || json.mode === 'pglite' ? objectAt(json, 'data') : objectAt(json, 'state');
  if (typeof json.exportType !== 'string' && json.mode === undefined) return false;
  return ['messages', 'sessions', 'topics', 'settings'].some((key) => key in state);
}

function usageOf(message: JsonObject): JsonObject {
  const metadata = objectAt(message, 'metadata');
  const usage = 'usage' in metadata ? objectAt(metadata, 'usage') : metadata;
  const [input, output, total] = ['totalInputTokens', 'totalOutputTokens', 'totalTokens'].map((key) =>
    numberAt(usage, key),
  );
  if (input === undefined && output === undefined) return {};
  return {
    usage: {
      input_tokens: input ?? 0,
      output_tokens: output ?? 0,
      ...(total === undefined ? {} : { total_tokens: total }),
    },
  };
}

function sourceOf(message: JsonObject): JsonObject {
  const extra = objectAt(message, 'extra');
  const provider = getFilledText(message, 'provider') ?? getFilledText(extra, 'fromProvider');
  const { error } = message;
  const failed = isJsonObject(error) ? getFilledText(error, 'message') : undefined;
  return buildModelSource(getFilledText(message, 'model') ?? getFilledText(extra, 'fromModel'), {
    ...(provider === undefined ? {} : { provider }),
    ...usageOf(message),
    ...(failed === undefined ? {} : { error: failed }),
  });
}

const toolName = (tool: JsonObject) => findFirstFilledText(tool, 'apiName', 'identifier', 'name') ?? 'unknown';

function itemsOf(message: JsonObject, id: string, nodes: ConversationNodes, place: string): ReplyItem[] {
  if (message.role === 'tool') {
    const call = getFilledText(message, 'tool_call_id') ?? `${id}-call`;
    const failed = isJsonObject(message.pluginError);
    return [buildToolResultItem(call, toolName(objectAt(message, 'plugin')), message.content, failed)];
  }
  const { reasoning } = message;
  const thought = isJsonObject(reasoning) ? getFilledText(reasoning, 'content') : undefined;
  const signature = isJsonObject(reasoning) ? getFilledText(reasoning, 'signature') : undefined;
  const files = [...listAt(message, 'fileList'), ...listAt(message, 'files')].filter(isJsonObject);
  for (const file of files)
    nodes.report(
      buildFinding(
        'import/attachment-missing',
        'note',
        place,
        getFilledText(file, 'name')?.slice(0, 200) ?? buildFindingDetail('no-name'),
      ),
    );
  const blocks: Json[] = [
    ...(thought === undefined
      ? []
      : [{ type: 'thinking', thinking: thought, ...(signature === undefined ? {} : { signature }) }]),
    ...listAt(message, 'imageList')
      .filter(isJsonObject)
      .map((image) => imageFromUrl(textAt(image, 'url') ?? '')),
    ...files.map((file) => ({ ...file, type: 'lobechat-file', text: `[${getFilledText(file, 'name') ?? 'file'}]` })),
    // The text of a reply that is still being generated is three dots.
    ...toTextBlocks(message.content === '...' && message.role === 'assistant' ? '' : textAt(message, 'content')),
    ...listAt(message, 'tools')
      .filter(isJsonObject)
      .map((tool, index) =>
        buildToolUseBlock(
          getFilledText(tool, 'id') ?? `${id}-call-${index}`,
          toolName(tool),
          parseStoredArguments(tool.arguments),
        ),
      ),
  ];
  return blocks.length === 0 ? [] : [toBlocksItem(blocks)];
}

/** A message with its position in the source, and the findings about it. */
interface Placed {
  readonly message: JsonObject;
  readonly place: string;
  readonly findings: readonly ImportFinding[];
}

/**
 * Returns the active message. At each step this is the answer that the parent names, else the answer that has a
 * follow-up. Versions without branches showed the last answer, later versions the first.
 */
function activeIn(
  messages: readonly Placed[],
  parents: ReadonlyMap<string, string | null>,
  linked: boolean,
): string | null {
  const children = new Map<string | null, string[]>();
  const active = new Map<string, number>();
  for (const { message } of messages) {
    // A thread is separate from the conversation, which continues without it.
    if (getFilledText(message, 'threadId') !== undefined) continue;
    const id = textAt(message, 'id') ?? '';
    const parent = parents.get(id) ?? null;
    children.set(parent, [...(children.get(parent) ?? []), id]);
    const shown = numberAt(objectAt(message, 'metadata'), 'activeBranchIndex');
    if (shown !== undefined) active.set(id, shown);
  }
  const seen = new Set<string>();
  let at: string | null = null;
  for (;;) {
    const below: readonly string[] = children.get(at) ?? [];
    const answered = below.findIndex((id) => children.has(id));
    const other = answered === -1 ? (linked ? 0 : below.length - 1) : answered;
    const next: string | undefined = below[active.get(at ?? '') ?? other] ?? below.at(-1);
    if (next === undefined || seen.has(next)) return at;
    seen.add(next);
    at = next;
  }
}

interface Surroundings {
  readonly sessions: ReadonlyMap<string, JsonObject>;
  readonly topics: ReadonlyMap<string, JsonObject>;
  readonly threads: ReadonlyMap<string, JsonObject>;
  readonly prompts: ReadonlyMap<string, string>;
}

/** Determines the parents of messages that do not name a parent. */
class ParentGuess {
  readonly #linked: boolean;
  readonly #threads: Surroundings['threads'];
  /** The last message of the conversation, and of each thread. */
  readonly #tips = new Map<string, string>();

  constructor(linked: boolean, threads: Surroundings['threads']) {
    this.#linked = linked;
    this.#threads = threads;
  }

  /**
   * Returns the parent of the next message: the last message of its thread, or for the first one the message that the
   * thread is about.
   */
  next(message: JsonObject, id: string): string | null {
    const thread = getFilledText(message, 'threadId') ?? '';
    const tip = this.#tips.get(thread);
    this.#tips.set(thread, id);
    if (thread === '') return this.#linked ? null : (tip ?? null);
    return tip ?? getFilledText(this.#threads.get(thread) ?? {}, 'sourceMessageId') ?? this.#tips.get('') ?? null;
  }
}

/** Adds the messages of a conversation to `nodes`, and returns the parent of each. */
function addLobeMessages(
  nodes: ConversationNodes,
  ordered: readonly Placed[],
  linked: boolean,
  around: Surroundings,
): Map<string, string | null> {
  const parents = new Map<string, string | null>();
  const guess = new ParentGuess(linked, around.threads);
  for (const { message, place, findings } of ordered) {
    nodes.report(...findings);
    const id = getFilledText(message, 'id') ?? place;
    const named = getFilledText(message, 'parentId');
    nodes.report(...checkParentId(message.parentId, place));
    const guessed = guess.next(message, id);
    const parent: string | null = named ?? guessed;
    parents.set(id, parent);
    nodes.report(...checkRole('role', message.role, (word) => roles.has(word), place));
    const role =
      message.role === 'assistant' || message.role === 'tool'
        ? 'assistant'
        : message.role === 'system'
          ? 'system'
          : 'user';
    nodes.add({
      id,
      parent,
      role,
      items: itemsOf(message, id, nodes, place),
      ...(message.role === 'assistant' ? { source: sourceOf(message) } : {}),
      status: role === 'assistant' && isJsonObject(message.error) ? 'error' : undefined,
      createdAt: nodes.time(message.createdAt, parseAnyTime, place),
      place,
      record: message,
    });
  }
  return parents;
}

function lobeTree(key: string, messages: readonly Placed[], file: string, around: Surroundings): ImportedTree {
  const nodes = new ConversationNodes([]);
  const time = ({ message }: Placed) => parseAnyTime(message.createdAt) ?? 0;
  const ordered = [...messages].sort((a, b) => time(a) - time(b));
  // In versions without branches, only answers named their question.
  const linked = ordered.some(
    ({ message }) =>
      message.role === 'user' &&
      getFilledText(message, 'parentId') !== undefined &&
      getFilledText(message, 'threadId') === undefined,
  );
  const parents = addLobeMessages(nodes, ordered, linked, around);
  const [first] = ordered;
  const topic = around.topics.get(getFilledText(first?.message ?? {}, 'topicId') ?? '');
  const sessionId = getFilledText(first?.message ?? {}, 'sessionId') ?? '';
  const session = around.sessions.get(sessionId);
  const title =
    getFilledText(topic ?? {}, 'title') ??
    (topic === undefined ? getFilledText(objectAt(session ?? {}, 'meta'), 'title') : undefined);
  return {
    externalId: key,
    scope: '',
    ...omitUndefinedAttributes({
      title,
      systemPrompt: getFilledText(objectAt(session ?? {}, 'config'), 'systemRole') ?? around.prompts.get(sessionId),
      createdAt: parseAnyTime(topic?.createdAt),
      updatedAt: parseAnyTime(topic?.updatedAt),
    }),
    ...(topic?.favorite === true ? { attributes: { pinned: true } } : {}),
    nodes: nodes.nodes,
    activeExternalId: activeIn(ordered, parents, linked),
    record: {
      ...(topic === undefined ? {} : { topic }),
      ...(session === undefined ? {} : { session: omitKeys(session, 'config') }),
    },
    place: file,
    findings: nodes.findings,
  };
}

/** Returns the key of a message's conversation: its topic, else its session. */
function keyOf(message: JsonObject, only: string): string {
  const topic = getFilledText(message, 'topicId');
  if (topic !== undefined) return `topic:${topic}`;
  const session = getFilledText(message, 'sessionId');
  return session === undefined ? only : `session:${session}`;
}

function byId(rows: readonly Json[]): Map<string, JsonObject> {
  return new Map(rows.filter(isJsonObject).map((row) => [textAt(row, 'id') ?? '', row]));
}

/** Maps sessions to the system prompts of their agents, from the tables of a database export. */
function promptsIn(state: JsonObject): Map<string, string> {
  const agents = byId(listAt(state, 'agents'));
  const prompts = new Map<string, string>();
  for (const link of listAt(state, 'agentsToSessions').filter(isJsonObject)) {
    const prompt = getFilledText(agents.get(textAt(link, 'agentId') ?? '') ?? {}, 'systemRole');
    if (prompt !== undefined) prompts.set(textAt(link, 'sessionId') ?? '', prompt);
  }
  return prompts;
}

/** Adds a tool call to the message with its result, because the database stores them in two tables. */
function withPlugin(message: JsonObject, plugins: ReadonlyMap<string, JsonObject>): JsonObject {
  const plugin = plugins.get(textAt(message, 'id') ?? '');
  if (plugin === undefined || message.role !== 'tool' || 'plugin' in message) return message;
  const call = getFilledText(plugin, 'toolCallId');
  return {
    ...message,
    plugin,
    ...(call === undefined ? {} : { tool_call_id: call }),
    ...(isJsonObject(plugin.error) ? { pluginError: plugin.error } : {}),
  };
}

async function* readLobeFile(file: InputFile, _options: ReadOptions): AsyncGenerator<ReadEvent> {
  const conversations = new Map<string, Placed[]>();
  let state: JsonObject = {};
  let only: string | undefined;
  const patterns = [['state', 'messages', '*'], ['data', 'messages', '*'], ['*']];
  for await (const record of readDocumentRecords(file, patterns)) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      const rest = isJsonObject(record.value) ? record.value : {};
      state = 'data' in rest ? objectAt(rest, 'data') : objectAt(rest, 'state');
    } else if (!isLobeMessage(record.value))
      yield {
        type: 'finding',
        finding: buildFinding('import/other-format', 'loss', record.place, buildFindingDetail('not-a-message'), 1),
      };
    else {
      const { value: message, place, findings } = record;
      only ??= `sha256:${sha256Hex(canonicalJson(omitKeys(message, 'updatedAt', 'metadata')))}`;
      const key = keyOf(message, only);
      const own = conversations.get(key) ?? [];
      own.push({ message, place, findings });
      conversations.set(key, own);
    }
  }
  const around = {
    sessions: byId(listAt(state, 'sessions')),
    topics: byId(listAt(state, 'topics')),
    threads: byId(listAt(state, 'threads')),
    prompts: promptsIn(state),
  };
  const plugins = byId(listAt(state, 'messagePlugins'));
  for (const [key, messages] of conversations) {
    const whole = messages.map((placed) => ({ ...placed, message: withPlugin(placed.message, plugins) }));
    yield { type: 'tree', tree: lobeTree(key, whole, file.name, around) };
  }
}

/** Imports LobeChat's exports, and plain lists of its messages. */
export const lobechat = defineFormat({
  name: 'lobechat',
  label: 'LobeChat export',
  summary:
    'Topics of LobeChat with branches, reasoning and tools: its export, that of its database, or a list of messages.',
  keeps: ['branches', 'titles', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'pictures', 'usage'],
  reader: {
    detect: ({ files }) => (files.some(isLobeExport) ? 0.9 : 0),
    read: (input, options) => readProgramFiles(input, isLobeExport, (file) => readLobeFile(file, options)),
  },
});
