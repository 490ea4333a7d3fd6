/** What a turn reports about changes that a provider made necessary: parameters and blocks that it does not take. */
import type { Json, JsonObject } from '@coppice/core';
import type { ProviderNotice } from '../providers/contract.ts';
import type { Prompt } from './prompt.ts';

/** Something that was sent otherwise than asked for. `data` holds what a face needs to word it. */
export interface TurnNotice {
  readonly code: 'notice/parameter-changed' | 'notice/block-changed';
  readonly data: JsonObject;
}

/** Collects what is changed for one call of a model. */
export interface NoticeList {
  /** Takes what a provider reports while it prepares a request. */
  add(notice: ProviderNotice): void;
  /** What was collected: each parameter once, each kind of block with its number. */
  all(): readonly TurnNotice[];
}

/** Makes an empty list for a prompt; a reply that has to be shorter than was asked for is its first entry. */
export function collectNotices({ model, request, askedTokens }: Prompt): NoticeList {
  const parameters = new Map<string, TurnNotice>();
  const blocks = new Map<string, { readonly blockType: string; readonly role: string; count: number }>();
  const change = (name: string, asked: Json, sent: Json | undefined) =>
    parameters.set(name, {
      code: 'notice/parameter-changed',
      data: { model: model.id, name, asked, sent: sent ?? null },
    });
  if (askedTokens !== undefined && request.maxTokens !== undefined && request.maxTokens < askedTokens)
    change('maxTokens', askedTokens, request.maxTokens);
  return {
    add(notice) {
      if (notice.type === 'parameter-changed') change(notice.name, notice.asked, notice.sent);
      if (notice.type !== 'block-lowered') return;
      const key = `${notice.role} ${notice.blockType}`;
      const known = blocks.get(key) ?? { blockType: notice.blockType, role: notice.role, count: 0 };
      known.count++;
      blocks.set(key, known);
    },
    all: () => [
      ...parameters.values(),
      ...[...blocks.values()].map(
        (block): TurnNotice => ({ code: 'notice/block-changed', data: { model: model.id, ...block } }),
      ),
    ],
  };
}

/** Identifies a notice within a turn, which reports it once however many calls it makes. */
export function noticeKey({ code, data }: TurnNotice): string {
  const { count: _count, ...rest } = data;
  return JSON.stringify([code, rest]);
}

const names: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['stop', 'stop texts'],
  ['seed', 'seed'],
  ['thinking', 'thinking'],
  ['tools', 'tools'],
  ['toolChoice', 'tool choice'],
  ['maxTokens', 'reply length'],
]);

/** A notice as an English sentence. */
export function noticeText({ code, data }: TurnNotice): string {
  const { model, name, asked, sent, blockType, count } = data;
  if (code === 'notice/block-changed')
    return `${String(model)} does not take ${String(blockType)} blocks: ${count === 1 ? 'one was' : `${String(count)} were`} sent as text or left out.`;
  const what = names.get(String(name)) ?? String(name);
  if (sent === null || sent === undefined) return `${String(model)} does not take ${what}: it was not sent.`;
  return `${String(model)} does not take ${what} ${shown(asked)}: ${shown(sent)} was sent.`;
}

function shown(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value ?? null);
}
