// Converts calls to nodes. The id of a message is a hash of its path, so that calls with a common prefix share nodes.
import type { JsonObject, NodeMeta, NodeStatus } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { equalityKey } from '../../equality.ts';
import { normaliseMessage } from '../../legacy.ts';
import { sha256Hex } from '../../sha256.ts';
import { readModelCallAnswers, readModelCallRequest } from '../../wires/read-call.ts';
import type { ResolveResponsesItem } from '../../wires/responses-items.ts';
import type { ImportedNode, ImportedTree } from '../contract.ts';
import { getFilledText, isJsonObject, listAt, objectAt, textAt } from '../fields.ts';
import type { ImportFinding } from '../findings.ts';
import { type LoggedCall, pickSettingsWithoutSecrets, removeSecretsAndHistory } from './calls.ts';

/**
 * Returns a message without parts that a client may leave out when it resends the message, such as annotations of a
 * text.
 */
function comparableMessage(message: JsonObject): JsonObject {
  const blocks = listAt(message, 'content').filter(isJsonObject);
  // Clients send audio again only by its id.
  const aloud = blocks.find((block) => block.type === 'audio' && getFilledText(block, 'id') !== undefined);
  if (aloud !== undefined) return { ...message, content: [{ type: 'audio', id: aloud.id ?? '' }] };
  const content = listAt(message, 'content').map((block) =>
    isJsonObject(block) && block.type === 'text' ? { type: 'text', text: block.text ?? '' } : block,
  );
  return { ...message, content };
}

/**
 * Returns the id of a message, which is a hash of its path. Parts that a client may leave out or change are not
 * included.
 */
function messageIdOf(parent: string, message: JsonObject): string {
  const read = normaliseMessage(comparableMessage(message), { blank: 'keep' });
  const key = read.ok ? equalityKey(read.value) : sha256Hex(canonicalJson(message));
  return sha256Hex(`${parent}${key}`).slice(0, 32);
}

/** Returns metadata with the author's name: the name of a tool in `source`, other names in the custom data. */
function authorMeta({ role }: JsonObject, name: string): NodeMeta {
  return role === 'tool' ? { source: { type: 'tool_result', tool_name: name } } : { customData: { name } };
}

/** A call to be added to a tree, with its record and findings. */
export interface LoggedCallRecord {
  readonly call: LoggedCall;
  /** The original record, to be stored. */
  readonly record: JsonObject;
  /** The number of source records; 0 if they were counted already. */
  readonly records: number;
  readonly place: string;
  readonly findings: readonly ImportFinding[];
}

type NodeDraft = { -readonly [K in keyof ImportedNode]: ImportedNode[K] };

/** Returns the system prompt of a call. Calls with different prompts become different trees. */
export function systemPromptOfCall(call: LoggedCall): string | undefined {
  return readModelCallRequest(call.dialect, call.request).systemPrompt;
}

/** A tree that is built call by call; there is one per system prompt. */
export class HistoryTree {
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #findings: ImportFinding[] = [];
  readonly #place: string;
  readonly #root: string;
  readonly #prompt: string | undefined;
  #active: string | null = null;
  #at: number | undefined;
  #ownRecords = 0;

  constructor(place: string, prompt: string | undefined) {
    this.#place = place;
    this.#prompt = prompt;
    this.#root = sha256Hex(JSON.stringify(['log', prompt ?? null])).slice(0, 32);
  }

  /** Adds a finding that belongs to no call. */
  note(found: ImportFinding): void {
    this.#findings.push(found);
  }

  /**
   * Adds a call below the message `above`; undefined means that the request contains the whole history. Returns the
   * last node of the reply; null for the root.
   */
  add(logged: LoggedCallRecord, above?: string | null, resolve: ResolveResponsesItem = () => undefined): string | null {
    const { call, place, records } = logged;
    for (const one of logged.findings) this.#findings.push(one);
    const { messages, failed, names } = readModelCallRequest(call.dialect, call.request, {
      resolve,
      continues: above !== undefined,
    });
    const root = this.#root;
    if (call.at !== undefined) this.#at = call.at;
    const at = call.at === undefined ? {} : { createdAt: call.at };
    let parent = above ?? null;
    for (const message of messages) {
      // The id includes the path, so equal messages in one history are different nodes.
      const speaker = names.get(message);
      // With several users, the name is part of the id. A reply has no name when it is received, but may have one when
      // it is sent again.
      const speakerKey = speaker === undefined || message.role !== 'user' ? '' : JSON.stringify(speaker);
      const externalId = messageIdOf(`${parent ?? root}${speakerKey}`, message);
      const isError = failed.has(textAt(message, 'tool_call_id') ?? '');
      const meta = {
        ...(isError ? { isError } : {}),
        ...(speaker === undefined ? {} : authorMeta(message, speaker)),
      };
      const noted = Object.keys(meta).length === 0 ? {} : { meta };
      this.#enter({ externalId, parentExternalId: parent, message, records: 0, repeats: true, place, ...at, ...noted });
      parent = externalId;
    }
    const end = this.#answer(logged, parent, resolve);
    this.#active = end ?? parent;
    if (end === undefined) this.#count(parent, records);
    return this.#active;
  }

  /** Adds the response below the history. Returns its last node, or undefined if there is no response. */
  #answer(logged: LoggedCallRecord, parent: string | null, resolve: ResolveResponsesItem): string | undefined {
    const root = this.#root;
    const { call, place, records } = logged;
    const { response = {}, request, dialect } = call;
    const answers = call.response === undefined ? [] : readModelCallAnswers(dialect, call.response, resolve);
    const error = objectAt(response, 'error');
    const failed = Object.keys(error).length > 0;
    if (answers.length === 0 && !failed) return undefined;
    const usage = objectAt(response, 'usage');
    const source = {
      type: 'model',
      provider: dialect === 'anthropic' ? 'anthropic' : 'openai',
      model_name: getFilledText(response, 'model') ?? getFilledText(request, 'model') ?? 'unknown',
      parameters: pickSettingsWithoutSecrets(request),
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
    };
    const at = call.at === undefined ? {} : { createdAt: call.at };
    const record = removeSecretsAndHistory(logged.record);
    if (answers.length === 0) {
      const externalId = sha256Hex(`${parent ?? root}error${canonicalJson(error)}`).slice(0, 32);
      const message = { role: 'assistant', content: [{ type: 'text', text: '' }] };
      const meta = { source, error };
      this.#enter({
        externalId,
        parentExternalId: parent,
        message,
        status: 'error',
        meta,
        record,
        records,
        place,
        ...at,
      });
      return externalId;
    }
    const group = answers.length > 1 ? { group: getFilledText(response, 'id') ?? place } : {};
    const heads = new Set<string>();
    let end = parent;
    for (const [index, { messages, finish }] of answers.entries()) {
      end = parent;
      const status = endStatus(finish, failed);
      for (const [step, { message }] of messages.entries()) {
        const last = step === messages.length - 1;
        const named = messageIdOf(end ?? root, message);
        // Equal answers of one call stay separate nodes.
        const externalId = step === 0 && heads.has(named) ? messageIdOf(`${named}${index}`, message) : named;
        if (step === 0) heads.add(named);
        const meta: NodeMeta = {
          source: finish === undefined ? source : { ...source, finish_reason: finish },
          ...(failed ? { error } : {}),
        };
        this.#enter({
          externalId,
          parentExternalId: end,
          message,
          records: index === 0 && last ? records : 0,
          place,
          ...(step === 0 ? group : {}),
          ...at,
          ...(message.role === 'assistant' ? { meta } : {}),
          ...(index === 0 && last ? { record } : {}),
          ...(last && status !== undefined ? { status } : {}),
        });
        end = externalId;
      }
    }
    return end ?? undefined;
  }

  /** Adds a node. If the node exists already, the number of its records is increased. */
  #enter(node: NodeDraft): void {
    const known = this.#nodes.get(node.externalId);
    if (known === undefined) {
      this.#nodes.set(node.externalId, node);
      return;
    }
    known.records = (known.records ?? 0) + (node.records ?? 0);
    // A received response is more complete than its copy in a later request.
    if (known.record !== undefined || node.record === undefined) return;
    known.record = node.record;
    known.message = node.message;
    known.repeats = false;
    if (node.meta !== undefined) known.meta = node.meta;
    if (node.status !== undefined) known.status = node.status;
  }

  #count(on: string | null, records: number): void {
    const node = on === null ? undefined : this.#nodes.get(on);
    if (node === undefined) this.#ownRecords += records;
    else node.records = (node.records ?? 0) + records;
  }

  tree(scope: string): ImportedTree {
    return {
      externalId: this.#root,
      scope,
      ...(this.#prompt === undefined ? {} : { systemPrompt: this.#prompt }),
      ...(this.#at === undefined ? {} : { updatedAt: this.#at }),
      nodes: [...this.#nodes.values()],
      activeExternalId: this.#active,
      ...(this.#ownRecords === 0 ? {} : { ownRecords: this.#ownRecords }),
      place: this.#place,
      findings: this.#findings,
    };
  }
}

function endStatus(finish: string | undefined, failed: boolean): NodeStatus | undefined {
  if (failed) return 'error';
  if (finish === 'cancelled') return 'aborted';
  return finish === undefined ? 'interrupted' : undefined;
}
