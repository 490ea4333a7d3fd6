// A session of opencode: a list of messages whose parts are separate records. Each step of the model is a message, and
// its calls contain their results.
import type { Json, JsonObject, NodeStatus } from '@coppice/core';
import type { ImportedTree } from '../contract.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, parseMillisTime, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { imageFromUrl } from '../openai-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkKnownValue, checkRole } from '../structure-findings.ts';
import {
  buildModelSource,
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  findFirstFilledText,
  omitUndefinedAttributes,
  toBlocksItem,
} from '../turn-nodes.ts';

/** A message with its parts, and where it is in the source. */
export interface OpencodeMessage {
  readonly info: JsonObject;
  readonly parts: readonly Json[];
  readonly place: string;
  readonly findings: readonly ImportFinding[];
  /** The number of source records that the message represents. */
  readonly records: number;
}

// Types of parts with internal data of the program, which are kept only in the original record.
const bookkeeping: ReadonlySet<string> = new Set([
  'step-start',
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
]);
const partTypes: ReadonlySet<string> = new Set(['text', 'reasoning', 'file', 'tool', 'subtask', ...bookkeeping]);

function fileBlock(part: JsonObject): Json {
  const url = getFilledText(part, 'url') ?? '';
  const mediaType = getFilledText(part, 'mime') ?? 'application/octet-stream';
  if (mediaType.startsWith('image/')) return imageFromUrl(url);
  const name = getFilledText(part, 'filename') ?? url.slice(0, 200);
  const data = /^data:[^,]*;base64,([A-Za-z0-9+/]+=*)$/.exec(url)?.[1];
  if (data !== undefined) return { type: 'file', name, mediaType, source: { type: 'base64', data } };
  return { ...part, type: 'opencode-file', text: `[${name}]` };
}

/** Builds a thinking block with the signature that Anthropic needs to accept it again. */
function thinkingBlock(part: JsonObject): JsonObject {
  const signature = getFilledText(objectAt(objectAt(part, 'metadata'), 'anthropic'), 'signature');
  return { type: 'thinking', thinking: textAt(part, 'text') ?? '', ...(signature === undefined ? {} : { signature }) };
}

function toolItems(part: JsonObject, fallback: string): ReplyItem[] {
  const state = objectAt(part, 'state');
  const callId = getFilledText(part, 'callID') ?? fallback;
  const tool = getFilledText(part, 'tool') ?? 'unknown';
  const call = toBlocksItem([buildToolUseBlock(callId, tool, state.input)]);
  if (state.status === 'error') return [call, buildToolResultItem(callId, tool, state.error, true)];
  const output = textAt(state, 'output');
  // A call with another state has no result yet, unless the record contains one.
  if (state.status !== 'completed' && output === undefined) return [call];
  const text = output ?? '';
  const files = listAt(state, 'attachments').filter(isJsonObject).map(fileBlock);
  return [call, { type: 'result', callId, name: tool, content: [{ type: 'text', text }, ...files], isError: false }];
}

function itemsOf({ parts, place }: OpencodeMessage, id: string, nodes: ConversationNodes): ReplyItem[] {
  const said: ReplyItem[] = [];
  const results: ReplyItem[] = [];
  for (const [index, part] of parts.entries()) {
    if (!isJsonObject(part)) continue;
    nodes.report(...checkKnownValue('part', part.type, (word) => partTypes.has(word), place));
    const type = textAt(part, 'type') ?? 'part';
    if (type === 'tool') {
      const [call, ...result] = toolItems(part, `${id}-call-${index}`);
      if (call !== undefined) said.push(call);
      for (const one of result) results.push(one);
    } else if (type === 'text') said.push(toBlocksItem([{ type: 'text', text: textAt(part, 'text') ?? '' }]));
    else if (type === 'reasoning') said.push(toBlocksItem([thinkingBlock(part)]));
    else if (type === 'file') said.push(toBlocksItem([fileBlock(part)]));
    else if (!bookkeeping.has(type))
      said.push(toBlocksItem([{ ...part, type: `opencode-${type}`, text: textAt(part, 'prompt') ?? `[${type}]` }]));
  }
  // Calls of one step run in parallel, so their results come after all content of the step.
  return [...said, ...results];
}

function sourceOf(info: JsonObject): JsonObject {
  const provider = getFilledText(info, 'providerID');
  const tokens = objectAt(info, 'tokens');
  const cache = objectAt(tokens, 'cache');
  const { error } = info;
  const failed = isJsonObject(error)
    ? (getFilledText(objectAt(error, 'data'), 'message') ?? getFilledText(error, 'name'))
    : undefined;
  const reason = getFilledText(info, 'finish');
  return buildModelSource(getFilledText(info, 'modelID'), {
    ...(provider === undefined ? {} : { provider }),
    ...(Object.keys(tokens).length === 0
      ? {}
      : {
          usage: {
            input_tokens: numberAt(tokens, 'input') ?? 0,
            output_tokens: (numberAt(tokens, 'output') ?? 0) + (numberAt(tokens, 'reasoning') ?? 0),
            cache_read_input_tokens: numberAt(cache, 'read') ?? 0,
            cache_creation_input_tokens: numberAt(cache, 'write') ?? 0,
          },
        }),
    ...(reason === undefined ? {} : { finish_reason: reason }),
    ...(failed === undefined ? {} : { error: failed }),
  });
}

function statusOf({ error }: JsonObject): NodeStatus | undefined {
  if (!isJsonObject(error)) return undefined;
  return error.name === 'MessageAbortedError' ? 'aborted' : 'error';
}

const isSynthetic = (parts: readonly Json[]) => {
  const texts = parts.filter(isJsonObject).filter(({ type }) => type === 'text');
  return texts.length > 0 && texts.every(({ synthetic }) => synthetic === true);
};

/** Returns the id of the first message that a compaction kept. */
const keptBy = (parts: readonly Json[]) =>
  parts
    .filter(isJsonObject)
    .map((part) => (part.type === 'compaction' ? getFilledText(part, 'tail_start_id') : undefined))[0];

const roles: ReadonlySet<string> = new Set(['user', 'assistant']);

/** The data about a whole session that is read from its messages. */
interface AddedMessages {
  readonly activeId: string | null;
  readonly systemPrompt: string | undefined;
  /** Whether the message exists to which the user reverted the session. */
  readonly reverted: boolean;
}

/** Adds the messages of a session to `nodes`. */
function addMessages(
  nodes: ConversationNodes,
  messages: readonly OpencodeMessage[],
  revert: string | undefined,
): AddedMessages {
  let activeId: string | null = null;
  let reverted = false;
  let kept: string | undefined;
  let systemPrompt: string | undefined;
  for (const message of messages) {
    const { info: about, parts, place: at, findings, records } = message;
    nodes.report(...findings);
    const id = getFilledText(about, 'id') ?? at;
    nodes.report(...checkRole('role', about.role, (word) => roles.has(word), at));
    const assistant = about.role === 'assistant';
    const items = itemsOf(message, id, nodes);
    const record: Json = { info: about, parts };
    const created = objectAt(about, 'time').created;
    const common = { id, parent: nodes.tip, createdAt: nodes.time(created, parseMillisTime, at), place: at, record };
    systemPrompt ??= getFilledText(about, 'system');
    const before = nodes.nodes.length;
    if (assistant && about.summary === true) {
      const text = items
        .flatMap((item) => (item.type === 'blocks' ? item.blocks : []))
        .map((block) => (isJsonObject(block) ? (textAt(block, 'text') ?? '') : ''));
      nodes.add({
        ...common,
        role: 'assistant',
        items: [{ type: 'compaction', summary: text.join('\n'), details: {} }],
      });
      const lastNode = nodes.nodes.pop();
      if (lastNode !== undefined)
        nodes.nodes.push(
          kept === undefined ? lastNode : { ...lastNode, marker: { ...lastNode.marker, firstKept: kept } },
        );
    } else if (assistant)
      nodes.add({ ...common, role: 'assistant', items, source: sourceOf(about), status: statusOf(about) });
    else nodes.add({ ...common, role: 'user', items, ...(isSynthetic(parts) ? { kind: 'injected' } : {}) });
    kept = keptBy(parts);
    const last = nodes.nodes.pop();
    if (last !== undefined && nodes.nodes.length >= before) nodes.nodes.push({ ...last, records });
    if (id === revert) reverted = true;
    if (!reverted) activeId = id;
  }
  return { activeId, systemPrompt, reverted };
}

/** Yields the sessions of sub-agents that calls of these parts spawned, with the ids of the calls. */
export function* findSpawnedSessions(
  messages: readonly Pick<OpencodeMessage, 'parts'>[],
): Generator<readonly [session: string, call: string]> {
  for (const part of messages.flatMap(({ parts }) => parts).filter(isJsonObject)) {
    const session = getFilledText(objectAt(objectAt(part, 'state'), 'metadata'), 'sessionId');
    const call = getFilledText(part, 'callID');
    if (part.tool === 'task' && session !== undefined && call !== undefined) yield [session, call];
  }
}

/**
 * Converts a session to a tree; messages after a revert are not on the active path. `spawns` maps the session ids of
 * sub-agents to the calls that spawned them.
 */
export function opencodeToTree(
  info: JsonObject,
  messages: readonly OpencodeMessage[],
  place: string,
  found: readonly ImportFinding[],
  spawns: ReadonlyMap<string, string> = new Map(),
): ImportedTree {
  const nodes = new ConversationNodes(found);
  const revert = getFilledText(objectAt(info, 'revert'), 'messageID');
  const { activeId, systemPrompt, reverted } = addMessages(nodes, messages, revert);
  if (revert !== undefined && !reverted)
    nodes.report(
      buildFinding('import/pointer-missing', 'repair', place, buildFindingDetail('message', revert.slice(0, 80))),
    );
  const time = objectAt(info, 'time');
  const cwd = findFirstFilledText(info, 'directory', 'path');
  const parent = getFilledText(info, 'parentID');
  const call = spawns.get(getFilledText(info, 'id') ?? '');
  return {
    externalId: getFilledText(info, 'id') ?? place,
    scope: '',
    ...omitUndefinedAttributes({
      title: getFilledText(info, 'title'),
      systemPrompt,
      createdAt: nodes.time(time.created, parseMillisTime, place),
      updatedAt: parseMillisTime(time.updated),
    }),
    ...(cwd === undefined ? {} : { attributes: { metadata: { cwd } } }),
    ...(parent === undefined ? {} : { spawnedBy: { session: parent, ...(call === undefined ? {} : { call }) } }),
    nodes: nodes.nodes,
    activeExternalId: activeId,
    record: info,
    place,
    findings: nodes.findings,
  };
}
