/** Stores approved tool definitions (pins) in a file in the configuration folder. */
import { parseJson } from '@coppice/content';
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { dirname, join, readFile } from '#platform/system';
import { type ConfigSource, configPath } from '../config/load.ts';
import { replaceFile, systemCodeOf, withFileLock } from '../locked-file.ts';
import { makeMcpError } from './contract.ts';
import { type ApprovedTool, makeToolPinKey, type ToolPinStore } from './pins.ts';

/** Returns the default path of the pins, in the folder of the configuration file. */
export function toolPinsPath(source: ConfigSource = {}): string {
  return join(dirname(configPath(source).path), 'mcp-pins.json');
}

/**
 * Stores pins in a JSON file that several processes may write: each change reads the file, adds to it and replaces it,
 * under a lock. Throws `mcp/pins` if the file cannot be read; such a file is never overwritten.
 */
export function createFileToolPinStore(path: string): ToolPinStore {
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
        await withFileLock(path, async () => {
          const all = new Map((await readPins(path)).map((pin) => [makeToolPinKey(pin.server, pin.tool), pin]));
          for (const pin of pins) all.set(makeToolPinKey(pin.server, pin.tool), pin);
          await replaceFile(path, `${JSON.stringify({ version: 1, pins: [...all.values()] }, null, 2)}\n`);
        });
      }),
  };
}

async function readPins(path: string): Promise<readonly ApprovedTool[]> {
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
  if (!isJsonObject(top) || top.version !== 1 || !Array.isArray(top.pins))
    throw unreadablePins(path, 'it has another form');
  return top.pins.map((pin: Json, index: number) => {
    if (isPin(pin)) return pin;
    throw unreadablePins(path, `pins[${index}] is none`);
  });
}

function unreadablePins(path: string, why: string, cause?: unknown): Error {
  return makeMcpError(
    'mcp/pins',
    `The approved tools cannot be read from ${path} (${why}). Repair the file, or remove it to trust the tools that servers offer now.`,
    { path },
    cause,
  );
}

function isPin(value: Json): value is JsonObject & ApprovedTool {
  if (!isJsonObject(value)) return false;
  const texts = [value.server, value.tool, value.target, value.description];
  return (
    texts.every((text) => typeof text === 'string') &&
    isJsonObject(value.parameters) &&
    isJsonObject(value.annotations) &&
    (value.by === 'first-use' || value.by === 'operator') &&
    typeof value.at === 'number'
  );
}
