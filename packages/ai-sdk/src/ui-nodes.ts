/**
 * Converts messages of the AI SDK to nodes and back. Blocks hold the content that other programs can read; the node's
 * metadata holds the rest, so that a message is restored exactly.
 */
import { canonicalJson } from '@coppice/content';
import { splitUiMessage } from '@coppice/content/ui-messages';
import type { Json, JsonObject, Message, Node, NodeMeta } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';

/** A message of the AI SDK as plain JSON. */
export interface UiMessageJson {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly JsonObject[];
  /** `metadata`, and any other field that an app adds. */
  readonly [key: string]: Json;
}

/** The message and the metadata of a new node. */
export interface UiNode {
  readonly message: Message;
  readonly meta: NodeMeta;
}

/** The nodes of one UI message: the calls of a step, their results, the next step. */
export interface UiChain {
  readonly nodes: readonly Node[];
  readonly message: UiMessageJson;
}

/** The metadata key for the data that blocks cannot represent. */
const metaKey = 'uiMessage';
/** The block of a message without visible content. Without a block, the tree would skip the message as blank. */
const blankBlock = { type: 'ui-blank' };
/** The type of the part for a block of another program that has no equivalent in the AI SDK. */
const blockPart = 'data-coppice-block';

const ownParts = /^(?:text|reasoning|file|source-url|source-document|reasoning-file|custom|steering-message|data-.*)$/;

/** The fields of a part that its block does not have, and the names of block fields that the part lacks. */
interface PartPatch {
  readonly set?: JsonObject;
  readonly drop?: readonly string[];
}

/** Whether a part is a call of a tool, with or without its result. */
export function isToolPart(part: JsonObject): boolean {
  return typeof part.type === 'string' && (part.type === 'dynamic-tool' || part.type.startsWith('tool-'));
}

function sameValue(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one === other || canonicalJson(one) === canonicalJson(other);
}

/** Whether two messages are equal as JSON. */
export function isSameMessage(one: UiMessageJson, other: UiMessageJson): boolean {
  return sameValue(one, other);
}

function patchBetween(from: JsonObject, to: JsonObject): PartPatch | undefined {
  const set = Object.entries(to).filter(([key, value]) => !sameValue(from[key], value));
  const drop = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  if (set.length === 0 && drop.length === 0) return undefined;
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(drop.length === 0 ? {} : { drop }),
  };
}

function applyPartPatch(part: JsonObject, patch: Json | undefined): JsonObject {
  if (!isJsonObject(patch)) return part;
  const dropped = new Set(Array.isArray(patch.drop) ? patch.drop : []);
  const kept = Object.entries(part).filter(([key]) => !dropped.has(key));
  return { ...Object.fromEntries(kept), ...(isJsonObject(patch.set) ? patch.set : {}) };
}

function urlOf(block: JsonObject): string | undefined {
  const source = isJsonObject(block.source) ? block.source : {};
  if (source.type === 'url' && typeof source.url === 'string') return source.url;
  if (source.type !== 'base64' || typeof source.data !== 'string') return undefined;
  const mediaType = typeof block.mediaType === 'string' ? block.mediaType : 'application/octet-stream';
  return `data:${mediaType};base64,${source.data}`;
}

/** Converts a block to the equivalent part. */
function partOfBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case 'text':
      return block;
    case 'thinking':
      return {
        type: 'reasoning',
        text: block.thinking ?? '',
        ...(block.providerMetadata === undefined ? {} : { providerMetadata: block.providerMetadata }),
      };
    case 'tool-use':
      return {
        type: `tool-${String(block.name)}`,
        toolCallId: block.id ?? '',
        state: 'input-available',
        input: block.parameters ?? {},
      };
    case 'image':
    case 'file': {
      const url = urlOf(block);
      if (url === undefined) return { type: blockPart, data: block };
      return {
        type: 'file',
        mediaType: block.mediaType ?? 'image/*',
        url,
        ...(typeof block.name === 'string' ? { filename: block.name } : {}),
      };
    }
    default:
      return typeof block.type === 'string' && ownParts.test(block.type) ? block : { type: blockPart, data: block };
  }
}

function parseOutput(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Adds the result of a tool message to the part of its call. */
function withResult(call: JsonObject, message: JsonObject, isError: boolean): JsonObject {
  const content: readonly Json[] = Array.isArray(message.content) ? message.content : [];
  const text = content
    .map((block) => (isJsonObject(block) && typeof block.text === 'string' ? block.text : ''))
    .join('');
  return isError
    ? { ...call, state: 'output-error', errorText: text }
    : { ...call, state: 'output-available', output: parseOutput(text) };
}

/** Converts a value that is JSON by construction; the types of core allow more. */
function asJson(value: Message): JsonObject {
  const { role, content, tool_call_id: id } = value;
  const blocks = content.map((block): JsonObject => ({ ...(block as Block & JsonObject) }));
  return { role, content: blocks, ...(id === undefined ? {} : { tool_call_id: id }) };
}

type Block = Message['content'][number];

/** Splits a UI message into nodes that can be stored. */
export function toUiNodes(ui: UiMessageJson): UiNode[] {
  const { id, role, parts, ...rest } = ui;
  // A `content` field of the app is left out, because `splitUiMessage` would take it for the text of an older message.
  const ranges = splitUiMessage({ role, parts, metadata: ui.metadata ?? null }, id);
  const nodes: UiNode[] = [];
  let next = 0;
  const lastSpoken = ranges.findLastIndex(({ message }) => message.role !== 'tool');
  for (const [at, { message, meta, parts: from }] of ranges.entries()) {
    const first = nodes.length === 0 && Object.keys(rest).length > 0 ? { fields: rest } : {};
    const content = Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
    if (message.role === 'tool') {
      const index = from[0] ?? 0;
      const part = parts[index] ?? {};
      const call = callOf(ui, index, ranges);
      const patch = patchBetween(withResult(partOfBlock(call), message, meta?.isError === true), part);
      const own = { id, part: index, ...(patch === undefined ? {} : { patch: { ...patch } }) };
      nodes.push({ message: message as JsonObject & Message, meta: { ...meta, [metaKey]: own } });
      continue;
    }
    const entries: Json[] = [];
    const end = at === lastSpoken ? parts.length : (from.at(-1) ?? next - 1) + 1;
    for (; next < end; next++) {
      const part = parts[next] ?? {};
      const block = from.indexOf(next);
      if (block === -1) entries.push({ part });
      else {
        // If a call has a result, the node of the result stores the part.
        const answered = ranges.some((range) => range.message.role === 'tool' && range.parts[0] === next);
        const patch = answered ? undefined : patchBetween(partOfBlock(content[block] ?? {}), part);
        entries.push(patch === undefined ? block : { block, ...patch });
      }
    }
    nodes.push(spokenNode({ role, content }, { id, ...first }, entries, meta));
  }
  if (nodes.length === 0) {
    const fields = Object.keys(rest).length > 0 ? { fields: rest } : {};
    const entries = parts.map((part): Json => ({ part }));
    nodes.push(spokenNode({ role, content: [] }, { id, ...fields }, entries, undefined));
  }
  return nodes;
}

function callOf(ui: UiMessageJson, index: number, ranges: ReturnType<typeof splitUiMessage>): JsonObject {
  for (const { message, parts } of ranges) {
    const at = message.role === 'tool' ? -1 : parts.indexOf(index);
    const block = at === -1 || !Array.isArray(message.content) ? undefined : message.content[at];
    if (isJsonObject(block)) return block;
  }
  return ui.parts[index] ?? {};
}

function spokenNode(
  { role, content }: { readonly role: UiMessageJson['role']; readonly content: readonly JsonObject[] },
  own: JsonObject,
  entries: readonly Json[],
  meta: NodeMeta | undefined,
): UiNode {
  const blocks: Block[] = content.map((block) => ({ ...block, type: String(block.type) }));
  const blank = content.every(
    (block) => block.type === 'text' && (typeof block.text !== 'string' || block.text.trim() === ''),
  );
  if (blank) blocks.push(blankBlock);
  const plain = entries.length === content.length && entries.every((entry, at) => entry === at);
  return {
    message: { role, content: blocks },
    meta: { ...meta, [metaKey]: { ...own, ...(plain ? {} : { parts: entries }) } },
  };
}

/** Returns the metadata of a node's UI message. */
function uiMetaOf(node: Pick<Node, 'meta'>): JsonObject | undefined {
  const own: unknown = node.meta[metaKey];
  return isJsonObject(own) && typeof own.id === 'string' ? own : undefined;
}

/** Returns the message id that the app uses: the app's own id, else the node id. */
export function uiIdOf(node: Pick<Node, 'id' | 'meta'>): string {
  const id = uiMetaOf(node)?.id;
  return typeof id === 'string' ? id : node.id;
}

/** Whether a node continues the UI message of its parent. */
export function continuesMessage(above: Node, node: Node): boolean {
  const own = uiMetaOf(node);
  const before = uiMetaOf(above);
  // A result and the nodes after it belong to the reply with the call, even if another program wrote them.
  if (own === undefined) return node.role === 'tool' || (node.role === 'assistant' && above.role === 'tool');
  return before !== undefined && own.id === before.id;
}

function uiRoleOf(node: Node): UiMessageJson['role'] {
  return node.role === 'system' || node.role === 'user' ? node.role : 'assistant';
}

/** Joins the nodes of one UI message. */
function joinNodes(nodes: readonly Node[]): UiMessageJson {
  const [first] = nodes;
  if (first === undefined) throw new Error('A UI message has at least one node.');
  const parts: JoinedPart[] = [];
  for (const node of nodes) {
    if (node.message === null) continue;
    const message = asJson(node.message);
    const own = uiMetaOf(node);
    if (node.role === 'tool') addResult(parts, message, node.meta.isError === true, own);
    else {
      if (own === undefined && parts.length > 0) parts.push({ part: { type: 'step-start' } });
      for (const part of spokenParts(message, own)) parts.push(part);
    }
  }
  const fields = uiMetaOf(first)?.fields;
  return {
    ...(isJsonObject(fields) ? fields : {}),
    id: uiIdOf(first),
    role: uiRoleOf(first),
    parts: parts.map(({ part }) => part),
  };
}

/** A part, and for a tool part the version of the part without a result. */
interface JoinedPart {
  readonly part: JsonObject;
  readonly call?: JsonObject;
}

function joinedPart(block: JsonObject, patch: Json | undefined): JoinedPart {
  const plain = partOfBlock(block);
  const part = applyPartPatch(plain, patch);
  return block.type === 'tool-use' ? { part, call: plain } : { part };
}

function spokenParts(message: JsonObject, own: JsonObject | undefined): JoinedPart[] {
  const content: readonly Json[] = Array.isArray(message.content) ? message.content : [];
  const blocks = content.filter(isJsonObject).filter((block) => block.type !== blankBlock.type);
  const entries: readonly Json[] = Array.isArray(own?.parts) ? own.parts : blocks.map((_block, at) => at);
  const named = new Set<number>();
  const parts: JoinedPart[] = [];
  for (const entry of entries) {
    const index = isJsonObject(entry) ? entry.block : entry;
    if (typeof index === 'number') {
      const block = blocks[index];
      named.add(index);
      if (block !== undefined) parts.push(joinedPart(block, entry));
    } else if (isJsonObject(entry) && isJsonObject(entry.part)) parts.push({ part: entry.part });
  }
  // These blocks were added later by another program.
  for (const [index, block] of blocks.entries()) if (!named.has(index)) parts.push(joinedPart(block, undefined));
  return parts;
}

function addResult(parts: JoinedPart[], message: JsonObject, isError: boolean, own: JsonObject | undefined): void {
  const kept = typeof own?.part === 'number' ? own.part : -1;
  const at =
    parts[kept]?.call === undefined
      ? parts.findLastIndex(({ call }) => call?.toolCallId === message.tool_call_id)
      : kept;
  const call = parts[at]?.call;
  if (call !== undefined) parts[at] = { part: applyPartPatch(withResult(call, message, isError), own?.patch), call };
}

/** Groups the messages of a path into UI messages. Markers are left out. */
export function toUiChains(path: readonly Node[]): UiChain[] {
  const groups: Node[][] = [];
  for (const node of path) {
    if (node.kind !== 'message' || node.message === null) continue;
    const group = groups.at(-1);
    const above = group?.at(-1);
    if (group !== undefined && above !== undefined && continuesMessage(above, node)) group.push(node);
    else groups.push([node]);
  }
  return groups.map((nodes) => ({ nodes, message: joinNodes(nodes) }));
}

/**
 * Whether a posted reply is the beginning of a stored one, because its client lost the connection or stopped reading.
 */
export function isBeginningOfReply(posted: UiMessageJson, stored: UiMessageJson): boolean {
  if (posted.role !== 'assistant' || posted.parts.length > stored.parts.length) return false;
  return posted.parts.every((part, at) => {
    const whole = stored.parts[at] ?? {};
    if (part.type !== whole.type) return false;
    if (isToolPart(part)) return part.toolCallId === whole.toolCallId && isLaterState(whole.state, part.state);
    if (typeof part.text === 'string' && typeof whole.text === 'string') return whole.text.startsWith(part.text);
    // The stream has no chunk for some fields, such as the name of a file, so that a page may lack them.
    return Object.entries(part).every(([key, value]) => sameValue(value, whole[key]));
  });
}

/** The states of a tool part, in chronological order. */
const toolStates = ['input-streaming', 'input-available', 'approval-requested', 'approval-responded'];

function isLaterState(stored: Json | undefined, posted: Json | undefined): boolean {
  const rank = (state: Json | undefined) => {
    const at = toolStates.indexOf(String(state));
    return at === -1 ? toolStates.length : at;
  };
  return rank(stored) >= rank(posted);
}
