/**
 * Imports a stream of a given size into SQLite and prints its peak memory above idle and how long it blocks the event
 * loop: the longest stall, the longest stall while idle, and the longest CPU time between two iterations. It runs in a
 * separate process, because a heap that grew during other measurements would hide its memory. With `thread` the import
 * runs on a worker thread, as on a server, and the calling thread is measured.
 */
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { wrapStreamAsFile } from '@coppice/content/formats';
import { importInto } from '@coppice/engine';
import { importFiles } from '@coppice/server/importing';
import { openStore } from '@coppice/stores';
import { makeExportStream } from './exports.ts';

const bytes = Number(process.argv[2]);
const messages = Number(process.argv[3] ?? 100);
const aside = process.argv[4] === 'thread';

/** Returns the private memory of the process. Resident memory would include pages of the mapped database file. */
function ownMemory(): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return process.memoryUsage().rss;
  }
}

/**
 * Returns the CPU time of this thread in microseconds. That of the process would include other threads, such as the
 * compiler's.
 */
function ownTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  } catch {
    const { user, system } = process.cpuUsage();
    return user + system;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'coppice-flow-'));
const url = `sqlite:${join(folder, 'trees.db')}`;
const store = await openStore(url);
const path = join(folder, 'export.json');
// Written before the measurement, because generating a conversation would block the event loop too.
await pipeline(makeExportStream(bytes, messages), createWriteStream(path));
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
const events = aside
  ? importFiles({ store, thread: { url, owner: store.owner } }, [{ name: '-', size: statSync(path).size, path }])
  : importInto(store, { files: [await wrapStreamAsFile('-', createReadStream(path))] });
let last = ownTime();
// Measures the CPU time between two iterations of the event loop.
let over = false;
const other = () => {
  const now = ownTime();
  turn = Math.max(turn, now - last);
  last = now;
  if (!over) setImmediate(other);
};
setImmediate(other);
for await (const event of events) {
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
