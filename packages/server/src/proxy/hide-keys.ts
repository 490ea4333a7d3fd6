/** Takes the keys of a call out of what is kept of it: those that its client showed, and those that the operator holds. */
import type { Json } from '@coppice/core';
import type { Config } from '@coppice/engine';
import { isMaskable, isSpelledPlainly, keyMask, replaceKeys } from '@coppice/engine/mask-keys';
import { isWireObject, parseObject } from './exchange.ts';

/** What replaces a value that is too short for a key, or a plain word. */
const hidden = '(hidden)';

function maskOf(key: string): string {
  return isMaskable(key) ? keyMask(key) : hidden;
}

// What a client without a key shows is an ordinary word, such as the name of a program: in what people and models say it
// stays, in what a service says about an error it is no loss.
const [shortestInTalk, shortestInErrors] = [16, 6];

/** The keys of a call: nothing of them may be kept, whoever repeats them. */
export function secretKeysOf(
  header: (name: string) => string | undefined,
  sent: Readonly<Record<string, string>>,
  config: Pick<Config, 'providers'>,
): readonly string[] {
  const shown = [header('authorization'), sent['authorization']].map((value) => value?.replace(/^\S+\s+/, ''));
  const cookies = (header('cookie') ?? '').split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  const held = [...config.providers.values()].map(({ key }) => key?.for(key.origin));
  const named = [header('x-api-key'), sent['x-api-key'], header('x-coppice-token')];
  const all = [...shown, ...named, ...cookies, ...held].filter((key) => key !== undefined);
  // A key that begins with another goes first, so that nothing of it is left.
  return [...new Set(all.map((key) => key.trim()))]
    .filter((key) => key.length >= shortestInErrors)
    .sort((a, b) => b.length - a.length);
}

/** A text without the keys of a call. What is said about an error is cleaned of short ones as well. */
export function withoutKeys(text: string, keys: readonly string[], what: 'talk' | 'error'): string {
  const shortest = what === 'error' ? shortestInErrors : shortestInTalk;
  return replaceKeys(
    text,
    keys.filter((key) => key.length >= shortest),
    maskOf,
  );
}

/** The same for a value: a stream may say a key in pieces, which are one text only when they are put together. */
export function valueWithoutKeys<T extends object>(value: T, keys: readonly string[], what: 'talk' | 'error'): T {
  const text = JSON.stringify(value);
  const clean = withoutKeys(text, keys, what);
  return clean === text ? value : JSON.parse(clean);
}

/** Bytes without the keys of a call; the same ones where there are none in them. */
export function bytesWithoutKeys(bytes: Uint8Array, keys: readonly string[], what: 'talk' | 'error'): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mayHold = keys.some((key) => buffer.includes(key) || !isSpelledPlainly(key));
  if (!mayHold && !buffer.includes('\\/') && !buffer.includes('\\u00')) return bytes;
  const text = buffer.toString('utf8');
  const clean = withoutKeys(text, keys, what);
  return clean === text ? bytes : Buffer.from(clean);
}

/**
 * A request as it may lie in a file: without the keys of the call, and without those that it brings for services of its
 * own, such as MCP servers that the model's service is to call. Nothing that is recorded is read from those.
 */
export function requestForFile(request: Uint8Array, keys: readonly string[]): Uint8Array {
  const clean = bytesWithoutKeys(request, keys, 'talk');
  const buffer = Buffer.from(clean.buffer, clean.byteOffset, clean.byteLength);
  if (!['mcp_servers', '"headers"', 'authorization'].some((word) => buffer.includes(word))) return clean;
  const body = parseObject(buffer.toString('utf8'));
  if (body === null) return clean;
  const { mcp_servers: _, tools, ...rest } = body;
  const plain = Array.isArray(tools) ? { tools: tools.map(toolForFile) } : {};
  return new TextEncoder().encode(JSON.stringify({ ...rest, ...plain }));
}

function toolForFile(tool: Json): Json {
  if (!isWireObject(tool)) return tool;
  const { headers: _, authorization: __, ...rest } = tool;
  return rest;
}
