// The export of Chatbox. Each session has its own key. Hidden alternatives below a message are stored outside the list,
// by the id of that message. Earlier threads of a session are separate lists.
import type { Json, JsonObject } from '@coppice/core';
import { setOwnProperty } from '../../json-copy.ts';
import { defineFormat, type ImportedTree, type ReadEvent } from '../contract.ts';
import { findValuesByPath, readProgramFiles } from '../conversation-files.ts';
import {
  getFilledText,
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  omitKeys,
  parseMillisTime,
  textAt,
} from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { InputFile, SampleFile } from '../input.ts';
import { imageFromUrl } from '../openai-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import { buildNonObjectFinding, checkKnownValue, checkListField, checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

function isSession(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value) || typeof value.id !== 'string' || !Array.isArray(value.messages)) return false;
  if (typeof value.name !== 'string' || 'mapping' in value || 'conv' in value) return false;
  const [first] = value.messages;
  if (first === undefined) return 'threads' in value || 'messageForksHash' in value || value.type === 'chat';
  return (
    isJsonObject(first) &&
    typeof first.role === 'string' &&
    (Array.isArray(first.contentParts) || ((value.type === 'chat' || value.type === 'picture') && 'content' in first))
  );
}

const paths = [['{}'], ['chat-sessions', '*']];

function isOwn({ json }: Pick<SampleFile, 'json'>): boolean {
  if (isSession(json)) return true;
  if (!isJsonObject(json)) return false;
  return paths.some((path) => findValuesByPath(json, path).some((value) => isSession(value)));
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'tool']);
const partTypes: ReadonlySet<string> = new Set(['text', 'image', 'reasoning', 'tool-call', 'info']);

function partItems(part: Json, fallback: string, nodes: ConversationNodes, place: string): ReplyItem[] {
  if (!isJsonObject(part)) {
    nodes.report(buildNonObjectFinding(`${place}.contentParts`));
    return [];
  }
  nodes.report(...checkKnownValue('part', part.type, (word) => partTypes.has(word), place));
  if (part.type === 'text') return [toBlocksItem(toTextBlocks(textAt(part, 'text')))];
  if (part.type === 'reasoning') return [toBlocksItem([{ type: 'thinking', thinking: textAt(part, 'text') ?? '' }])];
  if (part.type === 'tool-call') {
    const id = getFilledText(part, 'toolCallId') ?? fallback;
    const name = getFilledText(part, 'toolName') ?? 'unknown';
    const call = toBlocksItem([buildToolUseBlock(id, name, part.args)]);
    return part.state === 'result' || part.state === 'error'
      ? [call, buildToolResultItem(id, name, part.result, part.state === 'error')]
      : [call];
  }
  if (part.type === 'image') return [toBlocksItem([pictureBlock(part, nodes, place)])];
  return [toBlocksItem([{ ...part, type: `chatbox-${textAt(part, 'type') ?? 'part'}` }])];
}

/**
 * Returns the block of a picture. Without a URL, the bytes are only in Chatbox's storage, and a finding reports this.
 */
function pictureBlock(part: JsonObject, nodes: ConversationNodes, place: string): Json {
  const url = getFilledText(part, 'url');
  if (url !== undefined) return imageFromUrl(url);
  nodes.report(
    buildFinding(
      'import/attachment-missing',
      'note',
      place,
      getFilledText(part, 'storageKey') ?? buildFindingDetail('image'),
    ),
  );
  // The recognised text of the picture was sent to models that cannot read images.
  return { ...omitKeys(part, 'type'), type: 'chatbox-image', text: getFilledText(part, 'ocrResult') ?? '[image]' };
}

/** Returns the text of a message, without reasoning and tools. */
function textOf(message: JsonObject): string {
  const parts = listAt(message, 'contentParts').filter(isJsonObject);
  const texts = parts.filter(({ type }) => type === 'text').map((part) => textAt(part, 'text') ?? '');
  return texts.length > 0 ? texts.join('\n') : (textAt(message, 'content') ?? '');
}

function itemsOf(message: JsonObject, id: string, nodes: ConversationNodes, place: string): ReplyItem[] {
  const parts = listAt(message, 'contentParts');
  const thought = getFilledText(message, 'reasoningContent');
  const items = parts.flatMap((part, index) => partItems(part, `${id}-call-${index}`, nodes, place));
  if (parts.length === 0 && getFilledText(message, 'content') !== undefined)
    items.push(toBlocksItem(toTextBlocks(textAt(message, 'content'))));
  for (const picture of listAt(message, 'pictures').filter(isJsonObject))
    items.push(toBlocksItem([pictureBlock(picture, nodes, place)]));
  for (const file of [...listAt(message, 'files'), ...listAt(message, 'links')].filter(isJsonObject)) {
    const name = findFirstFilledText(file, 'name', 'title', 'url') ?? 'file';
    nodes.report(buildFinding('import/attachment-missing', 'note', place, name.slice(0, 200)));
    items.push(toBlocksItem([{ ...file, type: 'chatbox-file', text: `[${name}]` }]));
  }
  return [...(thought === undefined ? [] : [toBlocksItem([{ type: 'thinking', thinking: thought }])]), ...items].filter(
    (item) => item.type !== 'blocks' || item.blocks.length > 0,
  );
}

const idOfMessage = (message: JsonObject, place: string) => getFilledText(message, 'id') ?? place;

class SessionNodes {
  readonly nodes: ConversationNodes;
  readonly #forks: JsonObject;
  /** The ids of alternatives by the message above them, in the order in which Chatbox shows them. */
  readonly #alternatives = new Map<string, readonly string[]>();

  constructor(session: JsonObject, found: readonly ImportFinding[]) {
    this.nodes = new ConversationNodes(found);
    this.#forks = objectAt(session, 'messageForksHash');
  }

  /**
   * Adds a list of messages below a parent, with the alternatives of each message. Returns the id of the last message.
   */
  add(list: readonly Json[], parent: string | null, place: string): string | null {
    const open: { readonly list: readonly Json[]; readonly parent: string | null; readonly place: string }[] = [
      { list, parent, place },
    ];
    let end: string | null = parent;
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      let tip = next.parent;
      for (const [index, message] of next.list.entries()) {
        const at = `${next.place}[${index}]`;
        if (!isJsonObject(message)) {
          this.nodes.report(buildNonObjectFinding(at));
          continue;
        }
        const id = idOfMessage(message, at);
        this.#message(message, id, tip, at);
        tip = id;
        const fork = Object.hasOwn(this.#forks, id) ? this.#forks[id] : undefined;
        if (!isJsonObject(fork)) continue;
        const order: string[] = [];
        const addToOrder = (below: Json | undefined, where: string) => {
          if (isJsonObject(below)) order.push(idOfMessage(below, where));
        };
        this.nodes.report(...checkListField(fork, 'lists', `${place} ${id}`));
        const lists = listAt(fork, 'lists');
        // The shown alternative continues the list; its own entry is empty.
        const shown = Math.min(numberAt(fork, 'position') ?? 0, lists.length);
        for (let number = 0; number <= lists.length; number++) {
          if (number === shown) addToOrder(next.list[index + 1], `${next.place}[${index + 1}]`);
          const other = lists[number];
          const where = `${place} ${id}.lists[${number}]`;
          if (!isJsonObject(other)) {
            if (number < lists.length) this.nodes.report(buildNonObjectFinding(where));
            continue;
          }
          this.nodes.report(...checkListField(other, 'messages', where));
          const below = listAt(other, 'messages');
          addToOrder(below[0], `${where}[0]`);
          open.push({ list: below, parent: id, place: where });
        }
        if (order.length > 1) this.#alternatives.set(id, order);
      }
      if (next.list === list) end = tip;
    }
    return end;
  }

  /**
   * Adds the alternatives below messages that the session does not contain. Their missing parent is reported like that
   * of every orphan.
   */
  addBelowMissing(ids: readonly string[], place: string): void {
    for (const id of ids) {
      const lists = listAt(objectAt(this.#forks, id), 'lists');
      for (const [number, list] of lists.entries())
        if (isJsonObject(list)) this.add(listAt(list, 'messages'), id, `${place} ${id}.lists[${number}]`);
    }
  }

  /** Returns the order of the children of each message with alternatives. */
  childOrder(): ReadonlyMap<string, readonly string[]> {
    const heads = (ids: readonly string[]) => ids.map((id) => this.nodes.headOf(id));
    return new Map([...this.#alternatives].map(([id, order]) => [id, heads(order)]));
  }

  #message(message: JsonObject, id: string, parent: string | null, place: string): void {
    const { nodes } = this;
    nodes.report(...checkRole('role', message.role, (word) => roles.has(word), place));
    // For the model, a summary replaces everything above it.
    if (message.isSummary === true) {
      const summary = textOf(message);
      nodes.add({
        id,
        parent,
        role: 'assistant',
        items: [{ type: 'compaction', summary, details: {} }],
        createdAt: nodes.time(message.timestamp, parseMillisTime, place),
        place,
        record: message,
      });
      return;
    }
    const role =
      message.role === 'assistant' || message.role === 'tool'
        ? 'assistant'
        : message.role === 'system'
          ? 'system'
          : 'user';
    const [input, output] = [numberAt(message, 'inputTokens'), numberAt(objectAt(message, 'usage'), 'outputTokens')];
    const usage = objectAt(message, 'usage');
    const error = getFilledText(message, 'error');
    nodes.add({
      id,
      parent,
      role,
      items: itemsOf(message, id, nodes, place),
      ...(role === 'assistant'
        ? {
            source: buildModelSource(getFilledText(message, 'model'), {
              ...(getFilledText(message, 'aiProvider') === undefined
                ? {}
                : { provider: getFilledText(message, 'aiProvider') ?? '' }),
              ...(Object.keys(usage).length > 0
                ? { usage }
                : input === undefined && output === undefined
                  ? {}
                  : { usage: { inputTokens: input ?? 0, outputTokens: output ?? 0 } }),
              ...(error === undefined ? {} : { error }),
            }),
          }
        : {}),
      status: error !== undefined ? 'error' : message.generating === true ? 'interrupted' : undefined,
      createdAt: nodes.time(message.timestamp, parseMillisTime, place),
      place,
      record: message,
    });
  }
}

/** Returns what the session stores about its alternatives besides their messages: ids, times and the shown one. */
function forksWithoutMessages(session: JsonObject): JsonObject {
  const forks: Record<string, Json> = {};
  for (const [id, fork] of Object.entries(objectAt(session, 'messageForksHash'))) {
    const lists = isJsonObject(fork) ? listAt(fork, 'lists').filter(isJsonObject) : [];
    const kept = isJsonObject(fork) ? { ...fork, lists: lists.map((list) => omitKeys(list, 'messages')) } : fork;
    setOwnProperty(forks, id, kept);
  }
  return forks;
}

/** Returns the ids of messages that have alternatives, but are not in the session themselves. */
function missingParentsOf(session: JsonObject): string[] {
  const forks = Object.entries(objectAt(session, 'messageForksHash'));
  const alternatives = forks.flatMap(([, fork]) => (isJsonObject(fork) ? listAt(fork, 'lists') : []));
  const ids = new Set<string>();
  for (const list of [session, ...listAt(session, 'threads'), ...alternatives])
    if (isJsonObject(list))
      for (const message of listAt(list, 'messages')) if (isJsonObject(message)) ids.add(idOfMessage(message, ''));
  return forks.flatMap(([id]) => (ids.has(id) ? [] : [id]));
}

/** Yields one tree for the current thread of a session, and one for each earlier thread. */
function* sessionTrees(session: JsonObject, place: string, found: readonly ImportFinding[]): Generator<ImportedTree> {
  const id = getFilledText(session, 'id') ?? place;
  const threads = listAt(session, 'threads').filter(isJsonObject);
  const odd = [
    ...checkListField(session, 'threads', place),
    ...listAt(session, 'threads').flatMap((thread, index) =>
      isJsonObject(thread)
        ? checkListField(thread, 'messages', `${place}.threads[${index}]`)
        : [buildNonObjectFinding(`${place}.threads[${index}]`)],
    ),
  ];
  const forks = forksWithoutMessages(session);
  const lists = [
    {
      id,
      list: listAt(session, 'messages'),
      title: getFilledText(session, 'threadName') ?? getFilledText(session, 'name'),
      place: `${place}.messages`,
      createdAt: undefined,
      record: {
        ...omitKeys(session, 'messages', 'threads', 'messageForksHash'),
        ...(Object.keys(forks).length === 0 ? {} : { messageForksHash: forks }),
      },
    },
    ...threads.map((thread, index) => ({
      id: `${id}/${getFilledText(thread, 'id') ?? index}`,
      list: listAt(thread, 'messages'),
      title: getFilledText(thread, 'name') ?? getFilledText(session, 'name'),
      place: `${place}.threads[${index}].messages`,
      createdAt: parseMillisTime(thread.createdAt),
      record: { ...omitKeys(session, 'messages', 'threads', 'messageForksHash'), thread: omitKeys(thread, 'messages') },
    })),
  ];
  for (const [index, one] of lists.entries()) {
    if (one.list.length === 0 && index > 0) continue;
    const made = new SessionNodes(session, index === 0 ? [...found, ...odd] : []);
    const active = made.add(one.list, null, one.place);
    if (index === 0) made.addBelowMissing(missingParentsOf(session), one.place);
    yield {
      externalId: one.id,
      scope: '',
      ...omitUndefinedAttributes({ title: one.title, createdAt: one.createdAt }),
      ...(session.starred === true ? { attributes: { pinned: true } } : {}),
      nodes: made.nodes.nodes,
      childOrder: made.childOrder(),
      activeExternalId: active,
      record: one.record,
      place,
      findings: made.nodes.findings,
    };
  }
}

async function* readFile(file: InputFile): AsyncGenerator<ReadEvent> {
  for await (const record of readDocumentRecords(file, paths)) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'record') {
      if (isSession(record.value))
        for (const tree of sessionTrees(record.value, record.place, record.findings)) yield { type: 'tree', tree };
      // The export also contains settings and lists of names, which are ignored.
      else
        yield {
          type: 'finding',
          finding: buildFinding('import/skipped', 'note', record.place, buildFindingDetail('not-a-conversation'), 1),
        };
    }
  }
}

/** Imports sessions that Chatbox exported. */
export const chatbox = defineFormat({
  name: 'chatbox',
  label: 'Chatbox export',
  summary: 'Sessions of Chatbox with their forks, earlier threads and compactions, reasoning and tools.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning', 'tools', 'usage', 'compactions'],
  reader: {
    detect: ({ files }) => (files.some(isOwn) ? 0.88 : 0),
    read: (input) => readProgramFiles(input, isOwn, readFile),
  },
});
