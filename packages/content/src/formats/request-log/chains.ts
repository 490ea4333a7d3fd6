// Finds calls that continue each other. A Responses call may name the response that it continues, or items that the
// service stored, so that its history is in other records, possibly of other files. The calls that belong together are
// found first; then they are read in batches that fit into memory.
import type { JsonObject } from '@coppice/core';
import { findReferencedItemIds, indexResponsesItems } from '../../wires/responses-items.ts';
import { getFilledText, listAt, objectAt } from '../fields.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding } from '../findings.ts';
import type { LoggedCall } from './calls.ts';
import { HistoryTree, type LoggedCallRecord, systemPromptOfCall } from './history-tree.ts';

const batchBytes = 32 * 1024 * 1024;

function previousOf({ request, response }: LoggedCall): string | undefined {
  return getFilledText(request, 'previous_response_id') ?? getFilledText(response ?? {}, 'previous_response_id');
}

function conversationIdOf({ request, response }: LoggedCall): string | undefined {
  for (const side of [request, response ?? {}]) {
    const id = getFilledText(side, 'conversation') ?? getFilledText(objectAt(side, 'conversation'), 'id');
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Whether the history of a call is in other calls. */
export function needsOtherCalls(call: LoggedCall): boolean {
  if (call.dialect !== 'responses') return false;
  return (
    previousOf(call) !== undefined ||
    conversationIdOf(call) !== undefined ||
    findReferencedItemIds(listAt(call.request, 'input')).length > 0
  );
}

/** Finds calls that belong together, with a union-find structure over the call numbers. */
export class CallLinks {
  readonly #parents: number[] = [];
  readonly #sizes: number[] = [];
  readonly #owners = new Map<string, number>();
  #linked = false;

  /** Whether the history of any call is in another call. */
  get linked(): boolean {
    return this.#linked;
  }

  /** Records the next call, and links it to the calls that it refers to. */
  add(call: LoggedCall, bytes: number): void {
    const own = this.#parents.length;
    this.#parents.push(own);
    this.#sizes.push(bytes);
    const { request, response = {} } = call;
    const input = listAt(request, 'input');
    const names = [`r ${getFilledText(response, 'id') ?? ''}`];
    for (const id of indexResponsesItems([listAt(response, 'output')]).keys()) names.push(`i ${id}`);
    const [previous, conversation] = [previousOf(call), conversationIdOf(call)];
    if (previous !== undefined) names.push(`r ${previous}`);
    if (conversation !== undefined) names.push(`c ${conversation}`);
    for (const id of findReferencedItemIds(input)) names.push(`i ${id}`);
    for (const name of names) {
      if (name === 'r ') continue;
      const owner = this.#owners.get(name);
      if (owner === undefined) this.#owners.set(name, own);
      else this.#parents[this.#top(own)] = this.#top(owner);
    }
    this.#linked ||= needsOtherCalls(call);
  }

  #top(of: number): number {
    let top = of;
    for (let next = this.#parents[top] ?? top; next !== top; next = this.#parents[top] ?? top) top = next;
    for (let at = of; at !== top; ) {
      const next = this.#parents[at] ?? top;
      this.#parents[at] = top;
      at = next;
    }
    return top;
  }

  /** Returns the numbers of calls that belong together, in batches whose records fit into memory. */
  batches(): Map<number, number>[] {
    const sizes = new Map<number, number>();
    const members = new Map<number, number[]>();
    for (const [index, size] of this.#sizes.entries()) {
      const top = this.#top(index);
      sizes.set(top, (sizes.get(top) ?? 0) + size);
      const family = members.get(top);
      if (family === undefined) members.set(top, [index]);
      else family.push(index);
    }
    const batches: Map<number, number>[] = [];
    let held = Number.POSITIVE_INFINITY;
    for (const [top, size] of sizes) {
      if (held + size > batchBytes) {
        batches.push(new Map());
        held = 0;
      }
      for (const index of members.get(top) ?? []) batches.at(-1)?.set(index, top);
      held += size;
    }
    return batches;
  }
}

/** Returns for each call the number of the call that it continues; -1 for the start of a chain. */
function previousCalls(calls: readonly LoggedCallRecord[]): number[] {
  const byResponse = new Map<string, number>();
  for (const [index, { call }] of calls.entries()) {
    const id = getFilledText(call.response ?? {}, 'id');
    if (id !== undefined && !byResponse.has(id)) byResponse.set(id, index);
  }
  const lastIn = new Map<string, number>();
  return calls.map(({ call }, index) => {
    const [named, conversation] = [previousOf(call), conversationIdOf(call)];
    const before = conversation === undefined ? undefined : lastIn.get(conversation);
    if (conversation !== undefined) lastIn.set(conversation, index);
    return (named === undefined ? before : byResponse.get(named)) ?? -1;
  });
}

/** Orders calls so that each one comes after the call that it continues. Cycles are cut where they are entered. */
function callsParentsFirst(above: readonly number[]): number[] {
  const seen = new Uint8Array(above.length);
  const order: number[] = [];
  for (const index of above.keys()) {
    const walk: number[] = [];
    for (let at = index; at !== -1 && seen[at] === 0; at = above[at] ?? -1) {
      seen[at] = 1;
      walk.push(at);
    }
    for (let at = walk.pop(); at !== undefined; at = walk.pop()) order.push(at);
  }
  return order;
}

/**
 * Builds the trees of one chain of calls. Each call continues the call that it names, regardless of their order in the
 * log.
 */
export function buildChainTrees(calls: readonly LoggedCallRecord[]): HistoryTree[] {
  const items = new Map<string, JsonObject>();
  for (const { call } of calls)
    for (const [id, item] of indexResponsesItems([
      listAt(call.response ?? {}, 'output'),
      listAt(call.request, 'input'),
    ]))
      if (!items.has(id)) items.set(id, item);
  const above = previousCalls(calls);
  const tails = new Map<number, { readonly end: string | null; readonly folding: HistoryTree }>();
  const foldings = new Map<string, HistoryTree>();
  for (const index of callsParentsFirst(above)) {
    const logged = calls[index];
    if (logged === undefined) continue;
    const { call, place } = logged;
    const from = tails.get(above[index] ?? -1);
    const prompt = systemPromptOfCall(call);
    const folding = from?.folding ?? foldings.get(JSON.stringify([prompt])) ?? new HistoryTree(place, prompt);
    if (from === undefined) foldings.set(JSON.stringify([prompt]), folding);
    const named = previousOf(call);
    if (from === undefined && named !== undefined) {
      const code = above[index] === -1 ? 'import/orphan' : 'import/cycle';
      folding.note(
        buildFinding(code, 'repair', place, buildFindingDetail('continues', JSON.stringify(named.slice(0, 80)))),
      );
    }
    const resolve = (id: string) => {
      const item = items.get(id);
      if (item === undefined)
        folding.note(
          buildFinding(
            'import/pointer-missing',
            'repair',
            place,
            buildFindingDetail('item', JSON.stringify(id.slice(0, 80))),
          ),
        );
      return item;
    };
    tails.set(index, { end: folding.add(logged, from?.end, resolve), folding });
  }
  return [...foldings.values()];
}
