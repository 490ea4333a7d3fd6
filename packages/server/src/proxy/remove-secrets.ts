/** Removes the keys of the client and of the operator from recorded calls. */
import type { Json } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { type Config, listConfiguredKeys } from '@coppice/engine';
import {
  isKeyUnescapedInJson,
  isMaskableKey,
  leastMaskedLengthOf,
  makeKeyMask,
  maskKeys,
} from '@coppice/engine/mask-keys';
import { parseJsonObject } from './exchange.ts';

/** The replacement for keys that are too short to show a part of them. */
const hidden = '(hidden)';

function maskOf(key: string): string {
  return isMaskableKey(key) ? makeKeyMask(key) : hidden;
}

// A client without a key sends an ordinary word, such as the name of a program. Messages keep such a word; error texts
// may lose it.
const [shortestInTalk, shortestInErrors] = [16, 6];

/** Returns the keys of a call. They must not be stored, even if a message repeats them. */
export function findCallSecrets(
  header: (name: string) => string | undefined,
  sent: Readonly<Record<string, string>>,
  config: Pick<Config, 'providers'>,
): readonly string[] {
  const shown = [header('authorization'), sent['authorization']].map((value) => value?.replace(/^\S+\s+/, ''));
  const cookies = (header('cookie') ?? '').split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const held = [...config.providers.values()].map(({ key }) => key?.for(key.origin));
  const named = ['x-api-key', 'x-goog-api-key', 'api-key', 'x-coppice-token'].flatMap((name) => [
    header(name),
    sent[name],
  ]);
  const all = [...shown, ...named, ...cookies, ...held, ...listConfiguredKeys()].filter((key) => key !== undefined);
  // The longest key is removed first: a key may begin with another one, and the rest of it must not remain.
  return [...new Set(all.map((key) => key.trim()))]
    .filter((key) => key.length >= shortestInErrors)
    .sort((a, b) => b.length - a.length);
}

/** Returns a text without the keys of a call. Short keys are removed only from error texts. */
export function removeSecrets(text: string, keys: readonly string[], what: 'talk' | 'error'): string {
  const shortest = what === 'error' ? shortestInErrors : shortestInTalk;
  return maskKeys(
    text,
    keys.filter((key) => key.length >= shortest),
    maskOf,
  );
}

/** Like {@link removeSecrets}, and also removes a key that the end of a JSON string cuts off. */
export function removeSecretsFromJson(json: string, keys: readonly string[], what: 'talk' | 'error'): string {
  let clean = removeSecrets(json, keys, what);
  for (const key of keys) if (isMaskableKey(key)) clean = removeCutKey(clean, key);
  return clean;
}

/** Replaces the beginnings of a key at the ends of JSON strings. */
function removeCutKey(json: string, key: string): string {
  const beginning = key.slice(0, leastMaskedLengthOf(key));
  const parts: string[] = [];
  let copied = 0;
  for (let from = json.indexOf(beginning); from !== -1; from = json.indexOf(beginning, from + 1)) {
    let length = beginning.length;
    while (json[from + length] === key[length]) length++;
    let end = from + length;
    // The string may be in the JSON of another string, whose quotes are escaped.
    while (json[end] === '\\') end++;
    if (json[end] !== '"') continue;
    parts.push(json.slice(copied, from), maskOf(key));
    copied = from + length;
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

/**
 * Removes the keys from a value. A stream may contain a key in pieces, which form the key only when they are joined, and
 * may end within a key.
 */
export function removeSecretsFromValue<T extends object>(value: T, keys: readonly string[], what: 'talk' | 'error'): T {
  const text = JSON.stringify(value);
  const clean = removeSecretsFromJson(text, keys, what);
  return clean === text ? value : JSON.parse(clean);
}

/** Decodes a text without dropping a byte order mark. */
function decodeWhole(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Returns bytes without the keys of a call; the same array if it contains no key. */
export function removeSecretsFromBytes(bytes: Uint8Array, keys: readonly string[], what: 'talk' | 'error'): Uint8Array {
  const text = decodeWhole(bytes);
  const mayHold = keys.some((key) => text.includes(key) || !isKeyUnescapedInJson(key));
  if (!mayHold && !text.includes('\\/') && !text.includes('\\u00')) return bytes;
  const clean = removeSecrets(text, keys, what);
  return clean === text ? bytes : new TextEncoder().encode(clean);
}

/**
 * Returns a request in the form in which it may be stored in a file: without the call's keys, and without credentials
 * for other services, such as MCP servers that the model's service calls. Recording does not need those credentials.
 */
export function redactRequestForFile(request: Uint8Array, keys: readonly string[]): Uint8Array {
  const whole = decodeWhole(request);
  const text = removeSecretsFromJson(whole, keys, 'talk');
  const clean = text === whole ? request : new TextEncoder().encode(text);
  if (!['mcp_servers', '"headers"', 'authorization'].some((word) => text.includes(word))) return clean;
  const body = parseJsonObject(text);
  if (body === null) return clean;
  const { mcp_servers: _, tools, ...rest } = body;
  const plain = Array.isArray(tools) ? { tools: tools.map(toolForFile) } : {};
  return new TextEncoder().encode(JSON.stringify({ ...rest, ...plain }));
}

function toolForFile(tool: Json): Json {
  if (!isJsonObject(tool)) return tool;
  const { headers: _, authorization: __, ...rest } = tool;
  return rest;
}
