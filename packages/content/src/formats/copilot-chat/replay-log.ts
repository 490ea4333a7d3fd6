// The newer session files of VS Code's chat: a first line with the whole state, then one line per change.
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject, listAt, numberAt } from '../fields.ts';

const [whole, set, push, remove] = [0, 1, 2, 3];

/** Whether a value is a line of a session file: the whole state or one change. */
export function isReplayLine(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.kind === 'number' && ('v' in value || Array.isArray(value.k));
}

/** Whether a value is the first line of a session file, which contains the whole state. */
export function isReplayStart(value: Json | undefined): value is JsonObject {
  return isReplayLine(value) && value.kind === whole && isJsonObject(value.v) && Array.isArray(value.v.requests);
}

type State = { [key: string | number]: State | Json };

function memberOf(state: unknown, key: Json): unknown {
  if (Array.isArray(state)) return typeof key === 'number' ? state[key] : undefined;
  if (typeof state !== 'object' || state === null || typeof key !== 'string' || !Object.hasOwn(state, key))
    return undefined;
  return Reflect.get(state, key);
}

/** Sets an own property, even one named `__proto__`. Returns false if the key does not fit the holder. */
function assign(holder: unknown, key: Json, value: unknown): boolean {
  if (typeof holder !== 'object' || holder === null || (typeof key !== 'string' && typeof key !== 'number'))
    return false;
  if (Array.isArray(holder) && (typeof key !== 'number' || key < 0 || key > holder.length)) return false;
  return Reflect.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Rebuilds the state of a chat by applying the lines of its session file. */
export class ReplayedChatState {
  #state: State | undefined;

  get value(): Json | undefined {
    return this.#state === undefined ? undefined : JSON.parse(JSON.stringify(this.#state));
  }

  /** Applies one line. Returns false if the changed value does not exist. */
  apply(line: JsonObject): boolean {
    if (line.kind === whole && isJsonObject(line.v)) {
      this.#state = JSON.parse(JSON.stringify(line.v));
      return true;
    }
    const path = listAt(line, 'k');
    const last = path.at(-1);
    if (last === undefined || this.#state === undefined) return false;
    let holder: unknown = this.#state;
    for (const key of path.slice(0, -1)) holder = memberOf(holder, key);
    if (line.kind === set) return assign(holder, last, line.v ?? null);
    if (line.kind === remove)
      return (
        typeof holder === 'object' &&
        holder !== null &&
        typeof last === 'string' &&
        Reflect.deleteProperty(holder, last)
      );
    if (line.kind !== push) return false;
    const list = memberOf(holder, last);
    const kept: unknown[] = Array.isArray(list) ? list.slice(0, numberAt(line, 'i') ?? list.length) : [];
    for (const item of listAt(line, 'v')) kept.push(item);
    return assign(holder, last, kept);
  }
}
