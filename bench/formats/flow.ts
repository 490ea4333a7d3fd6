/**
 * A stream of a size, in conversations of so many messages, into SQLite, in a process of its own: a heap that other measurements have grown would hide what the
 * import needs. Prints the most memory above idle, the longest stall, the longest stall while nothing was done, and the most
 * processor time of the thread between two turns for others: what is left of a stall on a machine without neighbours and a
 * quick disk. With `thread` the import runs on a thread of its own, as on a server, and the one that is looked at asks for it.
 */
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { fileOfStream } from '@coppice/content/formats';
import { importInto } from '@coppice/engine';
import { importFiles } from '@coppice/server/importing';
import { openStore } from '@coppice/stores';
import { exportStream } from './exports.ts';

const bytes = Number(process.argv[2]);
const messages = Number(process.argv[3] ?? 100);
const aside = process.argv[4] === 'thread';

/** Memory that is the process's own: SQLite maps the database's file, and its pages count as resident without being so. */
function ownMemory(): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return process.memoryUsage().rss;
  }
}

/** Processor time of this thread in µs. That of the process counts other threads, too, such as those that compile. */
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
// Made before anything is looked at: a conversation that is made in one piece would be a stretch of the bench's own.
await pipeline(exportStream(bytes, messages), createWriteStream(path));
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
  : importInto(store, { files: [await fileOfStream('-', createReadStream(path))] });
let last = ownTime();
// One of the others: what the processor did between two of its turns is what it had to wait for.
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
