/**
 * A stream of a size, in conversations of so many messages, into SQLite, in a process of its own: a heap that other measurements have grown would hide what the
 * import needs. Prints the most memory above idle, the longest stall, the longest stall while nothing was done, and the most
 * processor time between two turns for others: what is left of a stall on a machine without neighbours and a quick disk.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { fileOfStream } from '@coppice/content/formats';
import { importInto } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { exportStream } from './exports.ts';

const bytes = Number(process.argv[2]);
const messages = Number(process.argv[3] ?? 100);

/** Memory that is the process's own: SQLite maps the database's file, and its pages count as resident without being so. */
function ownMemory(): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return process.memoryUsage().rss;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'coppice-flow-'));
const store = await openStore(`sqlite:${join(folder, 'trees.db')}`);
const still = monitorEventLoopDelay({ resolution: 5 });
still.enable();
await setTimeout(3000);
still.disable();
globalThis.gc?.();
const idle = process.memoryUsage().rss;
const idleOwn = ownMemory();
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let most = idle;
let mostOwn = idleOwn;
let turn = 0;
let last = process.cpuUsage();
const file = await fileOfStream('-', exportStream(bytes, messages));
// One of the others: what the processor did between two of its turns is what it had to wait for.
let over = false;
const other = () => {
  const { user, system } = process.cpuUsage(last);
  turn = Math.max(turn, user + system);
  last = process.cpuUsage();
  if (!over) setImmediate(other);
};
setImmediate(other);
for await (const event of importInto(store, { files: [file] })) {
  if (event.type !== 'progress') continue;
  most = Math.max(most, process.memoryUsage().rss);
  mostOwn = Math.max(mostOwn, ownMemory());
}
over = true;
delay.disable();
await store.close();
rmSync(folder, { recursive: true, force: true });
console.log(
  JSON.stringify({
    memory: most - idle,
    own: mostOwn - idleOwn,
    stall: delay.max / 1000,
    still: still.max / 1000,
    turn,
  }),
);
