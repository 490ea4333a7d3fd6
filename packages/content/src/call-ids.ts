// A message may use each tool call id only once. Programs of others sometimes write an id twice.
import { isJsonObject } from './json-copy.ts';

/** A tool call that got a new id, because another call of its message has the id. */
export interface RenamedCall {
  readonly from: string;
  readonly to: string;
}

/**
 * Gives each repeated tool call id of a message a new one (`id#2`, `id#3` …), in its blocks and in `tool_calls`; the
 * first call keeps the id, so that its result still belongs to it. Returns null if no id is repeated.
 */
export function renameRepeatedCalls(
  message: unknown,
): { readonly message: object; readonly renamed: readonly RenamedCall[] } | null {
  if (!isJsonObject(message)) return null;
  const { content, tool_calls: calls } = message;
  const [blocks, listed] = [Array.isArray(content) ? content : [], Array.isArray(calls) ? calls : []];
  const isCall = (block: unknown) => isJsonObject(block) && block.type === 'tool-use';
  const all = [...blocks.filter(isCall), ...listed];
  const taken = new Set<unknown>(all.map(idOf));
  if (taken.size === all.length) return null;
  const seen = new Set<string>();
  const numbers = new Map<string, number>();
  const renamed: RenamedCall[] = [];
  const rename = (call: unknown): unknown => {
    const id = idOf(call);
    if (id === undefined || !isJsonObject(call)) return call;
    if (!seen.has(id)) {
      seen.add(id);
      return call;
    }
    let number = numbers.get(id) ?? 1;
    do number += 1;
    while (taken.has(`${id}#${number}`));
    numbers.set(id, number);
    const to = `${id}#${number}`;
    renamed.push({ from: id, to });
    return { ...call, id: to };
  };
  const named = {
    ...message,
    ...(blocks.length === 0 ? {} : { content: blocks.map((block) => (isCall(block) ? rename(block) : block)) }),
    ...(listed.length === 0 ? {} : { tool_calls: listed.map(rename) }),
  };
  return renamed.length === 0 ? null : { message: named, renamed };
}

function idOf(call: unknown): string | undefined {
  return isJsonObject(call) && typeof call.id === 'string' ? call.id : undefined;
}
