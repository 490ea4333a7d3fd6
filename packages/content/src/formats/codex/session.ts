// Converts a rollout of Codex to a tree. A rollout is one list of lines: items of the Responses API, which form the
// conversation, and events for the program's screen, which mostly repeat the items. Only a rollback creates a branch.
import type { Json, JsonObject, NodeMeta, NodeStatus } from '@coppice/core';
import { extractUserWords } from '../../conversation-title.ts';
import { groupResponsesItems } from '../../wires/responses-items.ts';
import type { ImportedNode, ImportedTree, ReadOptions, SpawnedBy } from '../contract.ts';
import {
  checkTime,
  getFilledText,
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  omitKeys,
  parseIsoTime,
  textAt,
} from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { fromOpenAiToolCall } from '../openai-messages.ts';
import { type PreservedLine, toLinePairs, toPreservedRecord } from '../preserved-lines.ts';
import { checkKnownValue, checkRole } from '../structure-findings.ts';
import { buildToolResultMeta } from '../tool-results.ts';
import { omitUndefinedAttributes } from '../turn-nodes.ts';

/** The key of this format in the registry and in stored import metadata. */
export const codexName = 'codex';

/**
 * The field in which an export stores the id of a node, because lines have no ids. An import finds the node by this id.
 * The field is empty on lines without a node.
 */
export const codexNodeIdField = 'coppice';

/** The types of lines. Early versions used `state`, and items without an envelope. */
const lineTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'compacted',
  'turn_context',
  'event_msg',
  'world_state',
  'token_usage_record',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
]);
const itemTypes: ReadonlySet<string> = new Set([
  'message',
  'agent_message',
  'additional_tools',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'tool_search_call',
  'tool_search_output',
  'web_search_call',
  'image_generation_call',
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'context_compaction',
  'token_count',
]);
// Item types that are not messages.
const otherItemTypes: ReadonlySet<string> = new Set([
  'additional_tools',
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'context_compaction',
  'token_count',
]);
const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'developer', 'system']);

/** Whether a value is a line of a rollout. */
export function isRolloutLine(value: Json | undefined): boolean {
  return isJsonObject(value) && lineTypes.has(textAt(value, 'type') ?? '') && isJsonObject(value.payload);
}

/** Whether a value is the first line of an early rollout: the session without a type. */
export function isEarlyRolloutHeader(value: Json | undefined): boolean {
  return (
    isJsonObject(value) &&
    !('type' in value) &&
    'instructions' in value &&
    typeof value.id === 'string' &&
    typeof value.timestamp === 'string'
  );
}

/** Converts a line of any version to the current form; undefined for other lines. */
function upgradeLine(line: JsonObject): { readonly type: string; readonly payload: JsonObject } | undefined {
  const type = textAt(line, 'type');
  if (type === 'inter_agent_communication')
    return { type: 'response_item', payload: agentMessageOf(objectAt(line, 'payload')) };
  if (isRolloutLine(line)) return { type: type ?? '', payload: objectAt(line, 'payload') };
  if (isEarlyRolloutHeader(line)) return { type: 'session_meta', payload: line };
  if (type !== undefined && itemTypes.has(type)) return { type: 'response_item', payload: line };
  if (line.record_type === 'state') return { type: 'event_msg', payload: { type: 'state' } };
  return type === undefined ? undefined : { type, payload: objectAt(line, 'payload') };
}

/** Returns the item that the program sends to the model for a message between agents. */
function agentMessageOf(payload: JsonObject): JsonObject {
  const hidden = getFilledText(payload, 'encrypted_content');
  const said = getFilledText(payload, 'content');
  return {
    type: 'agent_message',
    content: [
      ...(said === undefined ? [] : [{ type: 'input_text', text: said }]),
      ...(hidden === undefined ? [] : [{ type: 'encrypted_content', encrypted_content: hidden }]),
    ],
  };
}

/** Returns the result of a call. Early versions stored the text together with a success flag. */
function outputOf(payload: JsonObject): { readonly item: JsonObject; readonly isError: boolean } {
  const { output } = payload;
  if (isJsonObject(output) && typeof output.content === 'string')
    return { item: { ...payload, output: output.content }, isError: output.success === false };
  // The result of a search for tools is the list of tools.
  if (output === undefined && Array.isArray(payload.tools))
    return { item: { ...payload, output: JSON.stringify(payload.tools) }, isError: false };
  return { item: payload, isError: typeof output === 'string' && hasFailed(output) };
}

// Matches the program's report of a command, which contains the output and the exit code.
const report = /^\s*\{"output":/;

function hasFailed(output: string): boolean {
  if (!report.test(output)) return /^(?:Exit code|Process exited with code):? [1-9]/.test(output);
  try {
    const value: Json = JSON.parse(output);
    const code = isJsonObject(value) ? numberAt(objectAt(value, 'metadata'), 'exit_code') : undefined;
    return code !== undefined && code !== 0;
  } catch {
    return false;
  }
}

const blockTexts = (blocks: readonly Json[]) =>
  blocks.map((block) => (isJsonObject(block) && block.type === 'text' ? (textAt(block, 'text') ?? '') : null));

/** Whether the program wrote a user message, for example about its environment, instructions or notices. */
function isInjected(role: Json | undefined, blocks: readonly Json[]): boolean {
  if (role === 'developer') return true;
  if (role !== 'user') return false;
  const texts = blockTexts(blocks);
  return texts.every(
    (text) => text !== null && /^(?:<|# AGENTS\.md)/.test(text.trimStart()) && extractUserWords(text) === '',
  );
}

/**
 * Returns the text of a compaction: its summary, or the last text of the history that replaces the earlier messages.
 */
function summaryOf(payload: JsonObject): string {
  const said = getFilledText(payload, 'message');
  if (said !== undefined) return said;
  const replaced = listAt(payload, 'replacement_history').filter(isJsonObject);
  const texts = groupResponsesItems(replaced.filter((item) => item.type === 'message')).flatMap(({ message }) =>
    blockTexts(listAt(message, 'content')),
  );
  const last = texts.findLast((text) => text !== null && text.trim() !== '');
  return last ?? 'The messages before this one were compacted; their summary is encrypted.';
}

/** A node that still collects lines and items. */
interface Draft {
  readonly id: string;
  readonly parent: string | null;
  readonly lines: PreservedLine[];
  readonly after: PreservedLine[];
  /** The items of the model's current turn. */
  readonly items: JsonObject[];
  readonly node: Pick<ImportedNode, 'kind' | 'marker' | 'message'>;
  readonly createdAt: number | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  meta: NodeMeta;
  usage: JsonObject | undefined;
  status: NodeStatus | undefined;
  role: 'assistant' | 'tool' | 'user' | 'other';
}

/** A preserved line, with the node id that an export of Coppice added to it. */
interface RolloutLine extends PreservedLine {
  readonly id?: string;
}

/** Collects the lines of one rollout and builds its tree. */
export class CodexSession {
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #drafts: Draft[] = [];
  readonly #leading: PreservedLine[] = [];
  readonly #findings: ImportFinding[] = [];
  readonly #tools = new Map<string, string>();
  #header: JsonObject | undefined;
  #open: Draft | undefined;
  #tip: string | null = null;
  #turns: (string | null)[] = [];
  #model: string | undefined;
  #effort: string | undefined;
  #title: string | undefined;
  #updatedAt: number | undefined;
  /** The id of the session from which a branch was exported. */
  #origin: string | undefined;
  #companions = 0;

  constructor(file: string, options: ReadOptions) {
    this.#file = file;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#drafts.length === 0 && this.#leading.length === 0;
  }

  get findings(): readonly ImportFinding[] {
    return this.#findings;
  }

  add(given: JsonObject, at: number, found: readonly ImportFinding[]): void {
    for (const one of found) this.#findings.push(one);
    const mark = textAt(given, codexNodeIdField);
    const line = mark === undefined ? given : omitKeys(given, codexNodeIdField);
    const place = `${this.#file}:${at}`;
    const meant = upgradeLine(line);
    if (meant === undefined) {
      this.#findings.push(
        buildFinding('import/other-format', 'loss', place, buildFindingDetail('not-a-rollout-line'), 1),
      );
      return;
    }
    const { type, payload } = meant;
    for (const one of checkKnownValue('line', type, (word) => lineTypes.has(word), place)) this.#findings.push(one);
    const written = line.timestamp ?? payload.timestamp;
    const time = parseIsoTime(written);
    for (const one of checkTime(written, time, place)) this.#findings.push(one);
    if (time !== undefined) this.#updatedAt = time;
    const kept = { at, line, ...(mark === undefined ? {} : { id: mark }) };
    if (type === 'response_item') this.#item(payload, kept, time, place);
    else if (type === 'compacted') {
      this.#close();
      const message = { role: 'system', content: [{ type: 'text', text: summaryOf(payload) }] };
      this.#draft(kept, time, 'other', { kind: 'compaction', marker: {}, message });
    } else {
      if (type === 'session_meta') this.#meta(payload, place, mark);
      else if (type === 'turn_context') this.#context(payload);
      else if (type === 'event_msg') this.#event(payload);
      // The tree already contains everything in a line that an export added.
      if (mark !== undefined && type !== 'session_meta') this.#companions++;
      else this.#beside({ at, line });
    }
  }

  /** Stores a line that belongs to no node with the previous node, so that an export can write it back. */
  #beside(kept: PreservedLine): void {
    const before = this.#drafts.at(-1);
    if (before === undefined) this.#leading.push(kept);
    else before.after.push(kept);
  }

  #meta(payload: JsonObject, place: string, mark: string | undefined): void {
    this.#origin ??= mark;
    // A fork begins with the lines of its original session, including the header.
    if (this.#header === undefined) this.#header = payload;
    else
      this.#findings.push(buildFinding('import/inferred', 'note', place, buildFindingDetail('forked-session-header')));
  }

  #context(payload: JsonObject): void {
    this.#model = getFilledText(payload, 'model') ?? this.#model;
    this.#effort = getFilledText(payload, 'effort');
  }

  #event(payload: JsonObject): void {
    switch (payload.type) {
      case 'token_count': {
        const usage = objectAt(objectAt(payload, 'info'), 'last_token_usage');
        const reply = this.#drafts.findLast((draft) => draft.role === 'assistant');
        if (reply !== undefined && reply.usage === undefined && Object.keys(usage).length > 0) reply.usage = usage;
        break;
      }
      case 'turn_aborted': {
        const last = this.#drafts.at(-1);
        if (last?.role === 'assistant') last.status = 'aborted';
        break;
      }
      case 'thread_name_updated':
        this.#title = getFilledText(payload, 'thread_name') ?? this.#title;
        break;
      case 'thread_rolled_back':
        this.#rollBack(Math.max(0, Math.trunc(numberAt(payload, 'num_turns') ?? 0)));
        break;
      default:
    }
  }

  /** Starts a branch after a rollback. The next messages become siblings of the turns that were rolled back. */
  #rollBack(count: number): void {
    this.#close();
    for (let taken = 0; taken < count; taken++) {
      const before = this.#turns.pop();
      if (before === undefined) break;
      this.#tip = before;
    }
  }

  #close(): void {
    this.#open = undefined;
  }

  #draft({ id, ...kept }: RolloutLine, createdAt: number | undefined, role: Draft['role'], node: Draft['node']): Draft {
    const draft: Draft = {
      id: id ?? String(kept.at),
      parent: this.#tip,
      lines: [kept],
      after: [],
      items: [],
      node,
      createdAt,
      model: this.#model,
      effort: this.#effort,
      meta: {},
      usage: undefined,
      status: undefined,
      role,
    };
    this.#drafts.push(draft);
    this.#tip = draft.id;
    return draft;
  }

  #item(payload: JsonObject, kept: RolloutLine, time: number | undefined, place: string): void {
    const type = textAt(payload, 'type') ?? '';
    for (const one of checkKnownValue('item', type, (word) => itemTypes.has(word), place)) this.#findings.push(one);
    if (otherItemTypes.has(type)) {
      this.#beside({ at: kept.at, line: kept.line });
      return;
    }
    if (type === 'message')
      for (const one of checkRole('role', payload.role, (word) => roles.has(word), place)) this.#findings.push(one);
    if (type.endsWith('_output')) this.#output(payload, kept, time, place);
    else if (type === 'agent_message') this.#message(payload, kept, time, 'user');
    else if (type === 'message' && payload.role !== 'assistant') this.#message(payload, kept, time, payload.role);
    else {
      const call = getFilledText(payload, 'call_id');
      if (call !== undefined) this.#tools.set(call, getFilledText(payload, 'name') ?? type.replace(/_call$/, ''));
      const open = kept.id === undefined || kept.id === this.#open?.id ? this.#open : undefined;
      if (open === undefined) {
        this.#open = this.#draft(kept, time, 'assistant', { message: null });
        this.#open.items.push(payload);
      } else {
        // Events in between keep their positions by their line numbers.
        open.lines.push({ at: kept.at, line: kept.line });
        open.items.push(payload);
      }
    }
  }

  #message(payload: JsonObject, kept: RolloutLine, time: number | undefined, role: Json | undefined): void {
    this.#close();
    const message = groupResponsesItems([payload])[0]?.message ?? null;
    const blocks = message === null ? [] : listAt(message, 'content');
    const injected = isInjected(role, blocks);
    if (!injected && role === 'user') this.#turns.push(this.#tip);
    const draft = this.#draft(kept, time, 'user', { message, ...(injected ? { kind: 'injected' } : {}) });
    if (role === 'user' && !injected) draft.meta = { source: { type: 'user' } };
  }

  #output(payload: JsonObject, kept: RolloutLine, time: number | undefined, place: string): void {
    this.#close();
    const { item, isError } = outputOf(payload);
    const call = getFilledText(payload, 'call_id');
    const tool = this.#tools.get(call ?? '');
    if (tool === undefined)
      this.#findings.push(
        buildFinding(
          'import/tool-pairing',
          'note',
          place,
          buildFindingDetail('no-such-call', String(call).slice(0, 80)),
        ),
      );
    const type = 'custom_tool_call_output';
    const draft = this.#draft(kept, time, 'tool', {
      message: groupResponsesItems([{ ...item, type }])[0]?.message ?? null,
    });
    draft.meta = buildToolResultMeta(tool ?? 'unknown', isError);
  }

  tree(): ImportedTree {
    const header = this.#header ?? {};
    if (this.#header === undefined)
      this.#findings.push(buildFinding('import/inferred', 'repair', this.#file, buildFindingDetail('header')));
    const id = this.#origin ?? getFilledText(header, 'id') ?? getFilledText(header, 'session_id');
    const record = { ...(this.#leading.length === 0 ? {} : { $lines: toLinePairs(this.#leading) }) };
    const title = this.#title ?? nameOfAgent(header);
    return {
      externalId: id ?? this.#file,
      scope: id === undefined ? (this.#options.scope ?? this.#file) : '',
      ...omitUndefinedAttributes({
        title,
        systemPrompt:
          getFilledText(objectAt(header, 'base_instructions'), 'text') ?? getFilledText(header, 'instructions'),
        createdAt: parseIsoTime(header.timestamp),
        updatedAt: this.#updatedAt,
      }),
      attributes: { metadata: sessionMetadata(header) },
      ...this.#spawnOf(header),
      nodes: this.#drafts.map((draft) => this.#node(draft)),
      activeExternalId: this.#tip,
      record: { ...record, ...(title === undefined ? {} : { $title: title }) },
      ownRecords: this.#leading.length + this.#companions,
      place: this.#file,
      findings: this.#findings,
    };
  }

  /** Returns the session and the call that spawned this session as a subagent, if the header names them. */
  #spawnOf(header: JsonObject): { readonly spawnedBy?: SpawnedBy } {
    const spawn = threadSpawnOf(header);
    const session = getFilledText(spawn, 'parent_thread_id') ?? getFilledText(header, 'parent_thread_id');
    if (session === undefined) return {};
    const agentType = getFilledText(spawn, 'agent_role') ?? getFilledText(header, 'agent_role');
    // A subagent may begin with the messages of its parent. Then the call that spawned it is among them.
    const name = agentPathOf(header)?.split('/').at(-1);
    const call = this.#drafts
      .flatMap(({ items }) => items)
      .findLast(({ name: tool, arguments: json }) => tool === 'spawn_agent' && taskNameIn(json) === name);
    const callId = name === undefined || call === undefined ? undefined : getFilledText(call, 'call_id');
    return {
      spawnedBy: {
        session,
        ...(callId === undefined ? {} : { call: callId }),
        ...(agentType === undefined ? {} : { agentType }),
      },
    };
  }

  #node(draft: Draft): ImportedNode {
    const { id, parent, lines, after, items, node, createdAt, model, effort, usage, status } = draft;
    const provider = getFilledText(this.#header ?? {}, 'model_provider');
    const said =
      items.length === 0
        ? { ...node, meta: draft.meta }
        : {
            message: replyOf(items),
            meta: {
              source: {
                type: 'model',
                ...(provider === undefined ? {} : { provider }),
                ...(model === undefined ? {} : { model_name: model }),
                ...(effort === undefined ? {} : { parameters: { reasoning_effort: effort } }),
                ...(usage === undefined ? {} : { usage }),
              },
            },
          };
    return {
      externalId: id,
      parentExternalId: parent,
      ...said,
      ...(status === undefined ? {} : { status }),
      ...(createdAt === undefined ? {} : { createdAt }),
      record: toPreservedRecord({ lines, after, parent, parts: [] }),
      records: lines.length + after.length,
      place: `${this.#file}:${lines[0]?.at ?? 0}`,
    };
  }
}

/**
 * Returns the reply of one turn. Items that would become separate messages are joined to it, so that nothing is lost.
 */
function replyOf(items: readonly JsonObject[]): JsonObject | null {
  const [first, ...more] = groupResponsesItems(items);
  if (first === undefined || more.length === 0) return first?.message ?? null;
  return { role: 'assistant', content: [first, ...more].flatMap(({ message }) => listAt(message, 'content')) };
}

/** Returns the path of a subagent among the agents of its session, such as `/root/find_tests`. */
function agentPathOf(header: JsonObject): string | undefined {
  return getFilledText(header, 'agent_path') ?? getFilledText(threadSpawnOf(header), 'agent_path');
}

function threadSpawnOf(header: JsonObject): JsonObject {
  return objectAt(objectAt(objectAt(header, 'source'), 'subagent'), 'thread_spawn');
}

/** Returns the name of the subagent in the arguments of the call that spawns it. */
function taskNameIn(json: Json | undefined): string | undefined {
  const { parameters } = { ...fromOpenAiToolCall({ id: 'call', name: 'spawn_agent', arguments: json ?? null }, 0) };
  return isJsonObject(parameters) ? getFilledText(parameters, 'task_name') : undefined;
}

/** Returns the name that a subagent got from the agent that spawned it; undefined for other sessions. */
function nameOfAgent(header: JsonObject): string | undefined {
  const name = agentPathOf(header)?.split('/').at(-1) ?? '';
  return name === '' ? undefined : name.replaceAll(/[_-]+/g, ' ');
}

/** Returns the working directory of a session, and the session from which it was forked. */
function sessionMetadata(header: JsonObject): JsonObject {
  const cwd = getFilledText(header, 'cwd');
  const forked = getFilledText(header, 'forked_from_id');
  const git = omitKeys(objectAt(header, 'git'), 'repository_url');
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(forked === undefined ? {} : { forkedFrom: forked }),
    ...(Object.keys(git).length === 0 ? {} : { git }),
  };
}
