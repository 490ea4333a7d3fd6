/** Collects notices about parameters and blocks that were changed because the provider does not accept them. */
import type { Json, JsonObject } from '@coppice/core';
import type { ProviderNotice } from '../providers/contract.ts';
import type { Prompt } from './prompt.ts';

type FileNotice = Extract<ProviderNotice, { readonly type: `file-${string}` }>;

function isFileNotice(notice: ProviderNotice): notice is FileNotice {
  return notice.type.startsWith('file-');
}

/** A difference between the caller's options and the request that was sent. `data` holds the values for the message. */
export interface TurnNotice {
  readonly code: 'notice/parameter-changed' | 'notice/block-changed' | `notice/${FileNotice['type']}`;
  readonly data: JsonObject;
}

/** Collects the changes for one call of a model. */
export interface NoticeList {
  /** Adds a change that the provider reports while it prepares a request. */
  add(notice: ProviderNotice): void;
  /** The collected notices: each parameter once, each kind of block with its count. */
  all(): readonly TurnNotice[];
}

/** Creates the list for a prompt; if the reply limit was lowered, that is its first entry. */
export function createNoticeList({ model, request, askedTokens }: Prompt): NoticeList {
  const parameters = new Map<string, TurnNotice>();
  const blocks = new Map<string, { readonly blockType: string; readonly role: string; count: number }>();
  const files = new Map<string, TurnNotice>();
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
      if (isFileNotice(notice)) {
        const { type, ...data } = notice;
        files.set(`${type} ${notice.name}`, { code: `notice/${type}`, data: { model: model.id, ...data } });
      }
      if (notice.type !== 'block-lowered') return;
      const key = `${notice.role} ${notice.blockType}`;
      const known = blocks.get(key) ?? { blockType: notice.blockType, role: notice.role, count: 0 };
      known.count++;
      blocks.set(key, known);
    },
    all: () => [
      ...parameters.values(),
      ...files.values(),
      ...[...blocks.values()].map(
        (block): TurnNotice => ({ code: 'notice/block-changed', data: { model: model.id, ...block } }),
      ),
    ],
  };
}

/** Returns the key that identifies a notice, so that a turn reports it only once. */
export function makeNoticeKey({ code, data }: TurnNotice): string {
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

/** Formats a notice as an English sentence. */
export function formatNotice({ code, data }: TurnNotice): string {
  const { model, name, asked, sent, blockType, count, limit } = data;
  if (code === 'notice/block-changed')
    return `${String(model)} does not take ${String(blockType)} blocks: ${count === 1 ? 'one was' : `${String(count)} were`} sent as text or left out.`;
  if (code === 'notice/file-as-text')
    return `${String(model)} does not take the file ${String(name)}: its text was sent.`;
  if (code === 'notice/file-cut')
    return `Only the beginning of ${String(name)} was sent to ${String(model)}: its text is too long.`;
  if (code === 'notice/file-left-out')
    return `${String(name)} was not sent to ${String(model)}: all files of a chat together may have ${toMegabytes(limit)} MB.`;
  if (code === 'notice/file-missing')
    return `${String(name)} was not sent to ${String(model)}: its bytes are not in the store.`;
  const what = names.get(String(name)) ?? String(name);
  if (sent === null || sent === undefined) return `${String(model)} does not take ${what}: it was not sent.`;
  return `${String(model)} does not take ${what} ${valueText(asked)}: ${valueText(sent)} was sent.`;
}

function toMegabytes(bytes: Json | undefined): number {
  return Math.round(Number(bytes) / 1024 / 1024);
}

function valueText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value ?? null);
}
