/** Pins in a file beside the configuration. */
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '@coppice/content';
import type { Json, JsonObject } from '@coppice/core';
import { type ConfigSource, configPath } from '../config/load.ts';
import { mcpError } from './contract.ts';
import { type Pin, type PinStore, pinKey } from './pins.ts';

/** The file that pins are kept in unless said otherwise: beside the configuration. */
export function pinsPath(source: ConfigSource = {}): string {
  return join(dirname(configPath(source).path), 'mcp-pins.json');
}

// A holder that died leaves its lock; nobody needs it for longer than a write takes.
const staleLockMs = 10_000;

/**
 * Pins in a file of JSON. Several processes may write it: each change reads what is there, adds to it, and replaces the
 * file as a whole, under a lock. A file that cannot be read is refused as `mcp/pins` and never overwritten.
 */
export function filePins(path: string): PinStore {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    load: () => inTurn(() => readPins(path)),
    put: (pins) =>
      inTurn(async () => {
        if (pins.length === 0) return;
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await withPinLock(`${path}.lock`, async () => {
          const all = new Map((await readPins(path)).map((pin) => [pinKey(pin.server, pin.tool), pin]));
          for (const pin of pins) all.set(pinKey(pin.server, pin.tool), pin);
          await replace(path, `${JSON.stringify({ version: 1, pins: [...all.values()] }, null, 2)}\n`);
        });
      }),
  };
}

function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function withPinLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      const held = await stat(path).catch(() => null);
      if (held !== null && Date.now() - held.mtimeMs > staleLockMs) await rm(path, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 20));
    }
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  // The rename itself is durable when the folder is.
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

async function readPins(path: string): Promise<readonly Pin[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw unreadablePins(path, String(systemCodeOf(error)), error);
  }
  const read = parseJson(text);
  if (!read.ok) throw unreadablePins(path, 'it is no JSON');
  const top = read.value;
  if (!isPinObject(top) || top.version !== 1 || !Array.isArray(top.pins))
    throw unreadablePins(path, 'it has another form');
  return top.pins.map((pin: Json, index: number) => {
    if (isPin(pin)) return pin;
    throw unreadablePins(path, `pins[${index}] is none`);
  });
}

function unreadablePins(path: string, why: string, cause?: unknown): Error {
  return mcpError(
    'mcp/pins',
    `What tools were approved cannot be read from ${path} (${why}). Mend the file, or remove it to trust what servers offer now.`,
    { path },
    cause,
  );
}

function isPinObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPin(value: Json): value is JsonObject & Pin {
  if (!isPinObject(value)) return false;
  const texts = [value.server, value.tool, value.target, value.description];
  return (
    texts.every((text) => typeof text === 'string') &&
    isPinObject(value.parameters) &&
    isPinObject(value.annotations) &&
    (value.by === 'first-use' || value.by === 'operator') &&
    typeof value.at === 'number'
  );
}
