// The output of `codex exec --json`: one event per line. The output contains no prompts. The last event of an item
// contains the whole item.
import type { Json, JsonObject } from '@coppice/core';
import type { ImportedTree } from '../contract.ts';
import { getFilledText, isJsonObject, listAt, numberAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type PreservedLine, toLinePairs } from '../preserved-lines.ts';
import type { ReplyItem } from '../reply-items.ts';
import { checkKnownValue } from '../structure-findings.ts';
import {
  buildToolResultItem,
  buildToolUseBlock,
  ConversationNodes,
  toBlocksItem,
  toTextBlocks,
} from '../turn-nodes.ts';

const eventTypes: ReadonlySet<string> = new Set([
  'thread.started',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'item.started',
  'item.updated',
  'item.completed',
  'item.plan.delta',
  'request_user_input',
  'error',
]);

/** Whether a value is a stream event that only Codex prints. */
export function isCodexThreadEvent(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const type = textAt(value, 'type') ?? '';
  if (type === 'thread.started') return typeof value.thread_id === 'string';
  return type.startsWith('item.') && eventTypes.has(type) && typeof objectAt(value, 'item').type === 'string';
}

/** Converts an item of a turn: a message, or a call with its result. */
function itemOf(item: JsonObject, id: string): readonly ReplyItem[] {
  const done = item.status !== 'in_progress';
  const failed = item.status === 'failed' || item.status === 'declined';
  switch (item.type) {
    case 'agent_message':
    case 'plan':
      return [toBlocksItem(toTextBlocks(textAt(item, 'text')))];
    case 'reasoning':
      return [toBlocksItem([{ type: 'thinking', thinking: textAt(item, 'text') ?? '' }])];
    case 'command_execution': {
      const call = toBlocksItem([buildToolUseBlock(id, 'shell', { command: item.command ?? '' })]);
      const isError = failed || (numberAt(item, 'exit_code') ?? 0) !== 0;
      return done ? [call, buildToolResultItem(id, 'shell', item.aggregated_output ?? '', isError)] : [call];
    }
    case 'file_change': {
      const call = toBlocksItem([buildToolUseBlock(id, 'apply_patch', { changes: item.changes ?? [] })]);
      return done ? [call, buildToolResultItem(id, 'apply_patch', item.status ?? '', failed)] : [call];
    }
    case 'mcp_tool_call': {
      const tool = `${textAt(item, 'server') ?? ''}__${textAt(item, 'tool') ?? ''}`;
      const call = toBlocksItem([buildToolUseBlock(id, tool, item.arguments)]);
      const error = getFilledText(objectAt(item, 'error'), 'message');
      const content = listAt(objectAt(item, 'result'), 'content');
      const texts = content.map((part) => (isJsonObject(part) ? textAt(part, 'text') : undefined));
      const said = texts.every((text) => text !== undefined) ? texts.join('\n') : (item.result ?? '');
      return done ? [call, buildToolResultItem(id, tool, error ?? said, failed)] : [call];
    }
    case 'web_search':
      return [toBlocksItem([{ ...omitKeys(item, 'id'), type: 'codex-web-search', text: textAt(item, 'query') ?? '' }])];
    default:
      return [toBlocksItem([{ ...item, type: `codex-${textAt(item, 'type') ?? 'item'}` }])];
  }
}

/** Collects the events of one thread and builds their tree. */
export class CodexEventCollector {
  readonly #file: string;
  readonly #lines: { readonly kept: PreservedLine; readonly type: string }[] = [];
  readonly #findings: ImportFinding[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(line: JsonObject, at: number, found: readonly ImportFinding[]): void {
    for (const one of found) this.#findings.push(one);
    const type = textAt(line, 'type') ?? '';
    const place = `${this.#file}:${at}`;
    for (const one of checkKnownValue('event', type, (word) => eventTypes.has(word), place)) this.#findings.push(one);
    this.#lines.push({ kept: { at, line }, type });
  }

  tree(): ImportedTree {
    const nodes = new ConversationNodes(this.#findings);
    const thread = this.#lines.find(({ type }) => type === 'thread.started')?.kept.line;
    const id = getFilledText(thread ?? {}, 'thread_id');
    if (id === undefined)
      nodes.report(buildFinding('import/inferred', 'repair', this.#file, buildFindingDetail('thread-id')));
    let leading: PreservedLine[] = [];
    let turn: PreservedLine[] = [];
    const end = () => {
      if (turn.length > 0) this.#turn(turn, nodes);
      turn = [];
    };
    for (const { kept, type } of this.#lines) {
      if (type === 'thread.started' && turn.length === 0 && nodes.nodes.length === 0) {
        leading = [...leading, kept];
        continue;
      }
      if (type === 'turn.started') end();
      turn.push(kept);
    }
    end();
    return {
      // The rollout of the same thread is another file with prompts and other ids, so this tree has a separate id.
      externalId: id === undefined ? this.#file : `${id}/events`,
      scope: id === undefined ? this.#file : '',
      nodes: nodes.nodes,
      activeExternalId: nodes.tip,
      record: leading.length === 0 ? {} : { $lines: toLinePairs(leading) },
      ownRecords: leading.length,
      place: this.#file,
      findings: nodes.findings,
    };
  }

  #turn(lines: readonly PreservedLine[], nodes: ConversationNodes): void {
    const [first] = lines;
    if (first === undefined) return;
    // Only the last event of each item is complete.
    const items = new Map<string, JsonObject>();
    let usage: JsonObject = {};
    let error: string | undefined;
    for (const { line } of lines) {
      const item = objectAt(line, 'item');
      const id = getFilledText(item, 'id');
      if (id !== undefined) items.set(id, item);
      if (line.type === 'turn.completed') usage = objectAt(line, 'usage');
      if (line.type === 'turn.failed') error = getFilledText(objectAt(line, 'error'), 'message') ?? 'failed';
      if (line.type === 'error') error = getFilledText(line, 'message') ?? 'failed';
    }
    const place = `${this.#file}:${first.at}`;
    const before = nodes.nodes.length;
    nodes.add({
      id: String(first.at),
      parent: nodes.tip,
      role: 'assistant',
      items: [...items].flatMap(([id, item]) => itemOf(item, id)),
      source: {
        type: 'model',
        ...(Object.keys(usage).length === 0 ? {} : { usage }),
        ...(error === undefined ? {} : { error }),
      },
      status: error === undefined ? undefined : 'error',
      place,
      record: { $lines: toLinePairs(lines) },
    });
    const last = nodes.nodes.pop();
    if (last !== undefined && nodes.nodes.length >= before) nodes.nodes.push({ ...last, records: lines.length });
  }
}
