/** Replaces lone surrogates, which have no UTF-8 form. A provider rejects a request that contains one. */
import type { Message } from './message.ts';

const lone = /\p{Surrogate}/gu;
const replacement = '\ufffd';

/** Replaces every lone surrogate by U+FFFD; returns the same text without lone surrogates. */
export function toWellFormedText(text: string): string {
  return text.replace(lone, replacement);
}

/**
 * Replaces every lone surrogate, in keys and values at any depth. Returns the same message without lone surrogates. The
 * input is not changed.
 */
export function toWellFormedMessage(message: Message): Message {
  if (isWellFormed(message)) return message;
  const call = message.tool_call_id;
  return {
    role: message.role,
    content: message.content.map((block) =>
      isWellFormed(block) ? block : { ...repairText(block), type: toWellFormedText(block.type) },
    ),
    ...(call === undefined ? {} : { tool_call_id: toWellFormedText(call) }),
  };
}

type Members = { [key: string]: unknown };

function isMembers(value: unknown): value is Members {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// Iterative, like the copy below, because tool parameters may be nested arbitrarily deep.
function isWellFormed(root: unknown): boolean {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      if (toWellFormedText(value) !== value) return false;
    } else if (Array.isArray(value)) {
      for (const each of value) waiting.push(each);
    } else if (isMembers(value)) {
      for (const key of Object.keys(value)) {
        if (toWellFormedText(key) !== key) return false;
        waiting.push(value[key]);
      }
    }
  }
  return true;
}

function repairText(root: object): object {
  const target: Members = {};
  const waiting: { readonly from: object; readonly to: unknown[] | Members }[] = [{ from: root, to: target }];
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return toWellFormedText(value);
    if (Array.isArray(value)) return later(value, []);
    return isMembers(value) ? later(value, {}) : value;
  };
  const later = (from: object, to: unknown[] | Members) => {
    waiting.push({ from, to });
    return to;
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, to } = next;
    if (Array.isArray(to)) for (const value of Object.values(from)) to.push(copy(value));
    else for (const [key, value] of Object.entries(from)) defineField(to, freeKey(to, from, key), copy(value));
  }
  return target;
}

// The replacement may make two keys equal. Then the second key gets an additional replacement character, so that it
// does not overwrite the first.
function freeKey(to: Members, from: object, key: string): string {
  let free = toWellFormedText(key);
  if (free === key) return free;
  while (Object.hasOwn(to, free) || Object.hasOwn(from, free)) free += replacement;
  return free;
}

// An assignment to `__proto__` would set the prototype and lose the value.
function defineField(to: Members, key: string, value: unknown): void {
  Object.defineProperty(to, key, { value, writable: true, enumerable: true, configurable: true });
}
