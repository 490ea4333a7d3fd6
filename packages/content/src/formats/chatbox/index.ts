// The export of Chatbox. Each session has its own key. Hidden alternatives below a message are stored outside the list,
// by the id of that message. Earlier threads of a session are separate lists.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ImportedTree, type ReadEvent } from '../contract.ts';
import { findValuesByPath, readProgramFiles } from '../conversation-files.ts';
import { fromMillis, getFilledText, isJsonObject, listAt, numberAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { detailOf } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { InputFile, SampleFile } from '../input.ts';
import { imageFromUrl } from '../openai-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import { roleFinding, unknownValueFinding } from '../structure-findings.ts';
import {
  buildCallBlock,
  buildModelSource,
  buildResultItem,
  ConversationNodes,
  firstFilledText,
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
  if (!isJsonObject(part)) return [];
  nodes.report(...unknownValueFinding('part', part.type, (word) => partTypes.has(word), place));
  if (part.type === 'text') return [toBlocksItem(toTextBlocks(textAt(part, 'text')))];
  if (part.type === 'reasoning') return [toBlocksItem([{ type: 'thinking', thinking: textAt(part, 'text') ?? '' }])];
  if (part.type === 'tool-call') {
    const id = getFilledText(part, 'toolCallId') ?? fallback;
    const name = getFilledText(part, 'toolName') ?? 'unknown';
    const call = toBlocksItem([buildCallBlock(id, name, part.args)]);
    return part.state === 'result' || part.state === 'error'
      ? [call, buildResultItem(id, name, part.result, part.state === 'error')]
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
    buildFinding('import/attachment-missing', 'note', place, getFilledText(part, 'storageKey') ?? detailOf('image')),
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
    const name = firstFilledText(file, 'name', 'title', 'url') ?? 'file';
    nodes.report(buildFinding('import/attachment-missing', 'note', place, name.slice(0, 200)));
    items.push(toBlocksItem([{ ...file, type: 'chatbox-file', text: `[${name}]` }]));
  }
  return [...(thought === undefined ? [] : [toBlocksItem([{ type: 'thinking', thinking: thought }])]), ...items].filter(
    (item) => item.type !== 'blocks' || item.blocks.length > 0,
  );
}

class SessionNodes {
  readonly nodes: ConversationNodes;
  readonly #forks: JsonObject;

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
          this.nodes.report(buildFinding('import/record-unreadable', 'loss', at, detailOf('not-an-object'), 1));
          continue;
        }
        const id = getFilledText(message, 'id') ?? at;
        this.#message(message, id, tip, at);
        tip = id;
        const fork = Object.hasOwn(this.#forks, id) ? this.#forks[id] : undefined;
        if (isJsonObject(fork))
          for (const [number, other] of listAt(fork, 'lists').entries())
            if (isJsonObject(other))
              open.push({ list: listAt(other, 'messages'), parent: id, place: `${place} ${id}.lists[${number}]` });
      }
      if (next.list === list) end = tip;
    }
    return end;
  }

  #message(message: JsonObject, id: string, parent: string | null, place: string): void {
    const { nodes } = this;
    nodes.report(...roleFinding('role', message.role, (word) => roles.has(word), place));
    // For the model, a summary replaces everything above it.
    if (message.isSummary === true) {
      const summary = textOf(message);
      nodes.add({
        id,
        parent,
        role: 'assistant',
        items: [{ type: 'compaction', summary, details: {} }],
        createdAt: nodes.time(message.timestamp, fromMillis, place),
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
      createdAt: nodes.time(message.timestamp, fromMillis, place),
      place,
      record: message,
    });
  }
}

/** Yields one tree for the current thread of a session, and one for each earlier thread. */
function* sessionTrees(session: JsonObject, place: string, found: readonly ImportFinding[]): Generator<ImportedTree> {
  const id = getFilledText(session, 'id') ?? place;
  const threads = listAt(session, 'threads').filter(isJsonObject);
  const lists = [
    {
      id,
      list: listAt(session, 'messages'),
      title: getFilledText(session, 'threadName') ?? getFilledText(session, 'name'),
      place: `${place}.messages`,
      createdAt: undefined,
    },
    ...threads.map((thread, index) => ({
      id: `${id}/${getFilledText(thread, 'id') ?? index}`,
      list: listAt(thread, 'messages'),
      title: getFilledText(thread, 'name') ?? getFilledText(session, 'name'),
      place: `${place}.threads[${index}].messages`,
      createdAt: fromMillis(thread.createdAt),
    })),
  ];
  for (const [index, one] of lists.entries()) {
    if (one.list.length === 0 && index > 0) continue;
    const made = new SessionNodes(session, index === 0 ? found : []);
    const active = made.add(one.list, null, one.place);
    yield {
      externalId: one.id,
      scope: '',
      ...omitUndefinedAttributes({ title: one.title, createdAt: one.createdAt }),
      ...(session.starred === true ? { attributes: { pinned: true } } : {}),
      nodes: made.nodes.nodes,
      activeExternalId: active,
      record: omitKeys(session, 'messages', 'threads', 'messageForksHash'),
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
          finding: buildFinding('import/skipped', 'note', record.place, detailOf('not-a-conversation'), 1),
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
