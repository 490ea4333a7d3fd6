// Reads calls from files. A record is a call or a part of a call. Proxies that log while streaming write the request
// first, then the response, complete or event by event.
import type { Json, JsonObject } from '@coppice/core';
import type { ReadEvent, ReadOptions } from '../contract.ts';
import { isJsonObject } from '../fields.ts';
import { type FileRecord, readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, isJsonLinesFile } from '../input.ts';
import {
  assembleReply,
  buildLoggedCall,
  findLoggedCall,
  findStreamEvent,
  isRequestRecord,
  isResponseRecord,
  type LoggedCall,
  replyIdOf,
} from './calls.ts';
import { buildChainTrees, CallLinks, needsOtherCalls } from './chains.ts';
import { HistoryTree, type LoggedCallRecord, systemPromptOfCall } from './history-tree.ts';

/** A complete call of a log, with the number of bytes of its records. */
interface LogScan {
  readonly type: 'call';
  readonly logged: LoggedCallRecord;
  readonly bytes: number;
}

type LogStep = LogScan | Extract<ReadEvent, { readonly type: 'finding' }>;

/** A request that waits for its response, or events that wait for further events. */
interface OpenLogCall {
  readonly request: JsonObject | undefined;
  readonly record: JsonObject;
  readonly place: string;
  readonly events: JsonObject[];
  readonly findings: ImportFinding[];
  records: number;
  bytes: number;
}

type LogRow = Extract<FileRecord, { readonly type: 'record' }>;

/** Combines requests, responses and events of a file to calls. */
class CallPairing {
  /** The last request without a response. */
  #sent: OpenLogCall | undefined;
  /** Replies that are being received, by id. There may be several at the same time. */
  readonly #replies = new Map<string, OpenLogCall>();
  #last = '';

  *addRecord(row: LogRow, value: JsonObject): Generator<LogScan> {
    const event = findStreamEvent(value);
    if (event !== undefined) {
      this.#event(row, event);
      return;
    }
    if (isResponseRecord(value) && !isRequestRecord(value)) {
      yield this.#whole(row, value);
      return;
    }
    yield* this.close();
    const call = findLoggedCall(value);
    if (call === undefined) return;
    const open = openRecords(row, call.request, value);
    if (call.response === undefined) this.#sent = open;
    else yield scanRecords(open, call);
  }

  /** Adds an event to a known reply, or starts a new reply to the last request. */
  #event(row: LogRow, event: JsonObject): void {
    const id = replyIdOf(event) ?? this.#last;
    this.#last = id;
    let open = this.#replies.get(id);
    if (open === undefined) {
      open = this.#sent ?? openRecords(row, undefined, {});
      if (open === this.#sent) {
        this.#sent = undefined;
        open.records++;
        open.bytes += row.bytes;
      }
      this.#replies.set(id, open);
    } else {
      open.records++;
      open.bytes += row.bytes;
    }
    for (const one of row.findings) if (open.place !== row.place) open.findings.push(one);
    open.events.push(event);
  }

  #whole(row: LogRow, reply: JsonObject): LogScan {
    const sent = this.#sent;
    this.#sent = undefined;
    if (sent?.request === undefined)
      return scanRecords(openRecords(row, undefined, reply), buildLoggedCall({}, reply, reply));
    for (const one of row.findings) sent.findings.push(one);
    sent.records++;
    sent.bytes += row.bytes;
    const record = { request: sent.record, response: reply };
    return scanRecords({ ...sent, record }, buildLoggedCall(sent.request, reply, sent.record));
  }

  /** Yields the calls that are still open when another request begins or the file ends. */
  *close(): Generator<LogScan> {
    for (const open of this.#replies.values()) {
      const response = assembleReply(open.events);
      const record = { ...(open.request === undefined ? {} : { request: open.record }), response };
      yield scanRecords({ ...open, record }, buildLoggedCall(open.request ?? {}, response, open.record));
    }
    this.#replies.clear();
    this.#last = '';
    const sent = this.#sent;
    this.#sent = undefined;
    if (sent?.request !== undefined) yield scanRecords(sent, buildLoggedCall(sent.request, undefined, sent.record));
  }
}

function openRecords(row: LogRow, request: JsonObject | undefined, record: JsonObject): OpenLogCall {
  const { place, bytes, findings } = row;
  return { request, record, place, events: [], findings: [...findings], records: 1, bytes };
}

function scanRecords({ record, place, findings, records, bytes }: OpenLogCall, call: LoggedCall): LogScan {
  return { type: 'call', logged: { call, record, place, findings, records }, bytes };
}

/** Whether a value is a record of a call: a whole call, a request, a response or a stream event. */
export function isCallRecord(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    (findStreamEvent(value) !== undefined || isResponseRecord(value) || findLoggedCall(value) !== undefined)
  );
}

async function* callsIn(file: InputFile): AsyncGenerator<LogStep> {
  const lines = await isJsonLinesFile(file);
  const pairing = new CallPairing();
  for await (const record of lines ? readLineRecords(file) : readDocumentRecords(file, [['*']])) {
    if (record.type === 'finding') {
      yield record;
      continue;
    }
    const { value, place } = record;
    if (record.type === 'rest' && !isJsonObject(value)) continue;
    const row: LogRow =
      record.type === 'record'
        ? record
        : { type: 'record', pattern: 0, path: [], place, value: value ?? null, bytes: 0, findings: [] };
    if (isCallRecord(value)) yield* pairing.addRecord(row, value);
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'loss', place, buildFindingDetail('no-call-with-messages'), 1),
      };
  }
  yield* pairing.close();
}

/**
 * Reads logs. Calls with a complete history are yielded when they are found; chains are read a second time, together.
 */
export async function* read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const scope = options.scope ?? '';
  const links = new CallLinks();
  for (const file of input.files)
    for await (const step of callsIn(file)) {
      if (step.type === 'finding') {
        yield step;
        continue;
      }
      const { logged, bytes } = step;
      if (logged.call.dialect === 'responses') links.add(logged.call, bytes);
      if (needsOtherCalls(logged.call)) continue;
      const folding = new HistoryTree(logged.place, systemPromptOfCall(logged.call));
      folding.add(logged);
      yield { type: 'tree', tree: folding.tree(scope) };
    }
  if (!links.linked) return;
  for (const batch of links.batches()) yield* readChains(input, batch, scope);
}

async function* readChains(
  input: ImportInput,
  batch: ReadonlyMap<number, number>,
  scope: string,
): AsyncGenerator<ReadEvent> {
  yield { type: 'pause' };
  const chains = new Map<number, LoggedCallRecord[]>();
  let number = 0;
  for (const file of input.files)
    for await (const step of callsIn(file)) {
      if (step.type === 'finding' || step.logged.call.dialect !== 'responses') continue;
      const chain = batch.get(number++);
      if (chain === undefined) continue;
      // A first call was already read, counted and reported; here it is only the start of a chain.
      const again = needsOtherCalls(step.logged.call) ? {} : { records: 0, findings: [] };
      const logged = { ...step.logged, ...again };
      const family = chains.get(chain);
      if (family === undefined) chains.set(chain, [logged]);
      else family.push(logged);
    }
  for (const chain of chains.values()) {
    if (!chain.some(({ call }) => needsOtherCalls(call))) continue;
    for (const folding of buildChainTrees(chain)) yield { type: 'tree', tree: folding.tree(scope) };
  }
}
