/**
 * A worker process, which the parent may kill at any time. It reads tasks from stdin, and writes reports to file
 * descriptor 3.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { messageKit } from '@coppice/content';
import { type Command, isAppError, run, type Store } from '@coppice/core';
import { armFault, countFaultPasses } from '../failpoints.ts';
import { storeOperations } from './operations.ts';
import type { WorkerReport, WorkerTask } from './protocol.ts';
import { SeededRandom } from './seeded-random.ts';
import { openStoreAt } from './store-locations.ts';
import { runWriter } from './writer.ts';

let stopped = false;
let session: Store | undefined;

/**
 * Sends a report to the parent. The write is synchronous, so the report is not lost if the process is killed
 * afterwards.
 */
function tell(reported: WorkerReport): void {
  const line = Buffer.from(`${JSON.stringify(reported)}\n`);
  for (let at = 0; at < line.length; ) {
    try {
      at += writeSync(3, line, at);
    } catch (error) {
      // EAGAIN means that the pipe is full, because the parent reads slowly. The write is tried again.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

async function writeAll(task: Extract<WorkerTask, { task: 'write' }>): Promise<void> {
  let store: Store;
  try {
    store = await openStoreAt(task);
  } catch (error) {
    if (!isAppError(error)) throw error;
    for (const { name } of task.writers)
      tell({ reported: 'failed', writer: name, code: error.code, message: error.message, unknown: false });
    return;
  }
  tell({ reported: 'open' });
  await Promise.all(task.writers.map((writer) => runWriter(store, writer, tell, () => stopped)));
  await store.close().catch(() => undefined);
}

async function failAt({ url, operation, nth }: Extract<WorkerTask, { task: 'fault' }>): Promise<void> {
  const known = storeOperations.find((one) => one.name === operation);
  if (known === undefined) throw new Error(`There is no operation ${operation}.`);
  const store = known.opens ? undefined : await openStoreAt({ url });
  armFault({ point: '*', nth, fault: 'kill' });
  await known.run(store ?? (await openStoreAt({ url })));
  const passed = countFaultPasses();
  armFault(null);
  tell({ reported: 'through', passed });
}

async function runOne(command: Command, actor: string, seed: string): Promise<void> {
  if (session === undefined) throw new Error('No store was opened.');
  const random = new SeededRandom('session', seed);
  try {
    await run(session, command, { actor, kit: messageKit, now: () => 0, newId: () => random.uuid() });
    tell({ reported: 'ran', code: null });
  } catch (error) {
    if (!isAppError(error)) throw error;
    tell({ reported: 'ran', code: error.code });
  }
}

async function addLines({ path, parent, name }: Extract<WorkerTask, { task: 'lines' }>): Promise<void> {
  const { sessionFiles } = await import('../jsonl/session-files.ts');
  for (let count = 0; !stopped; ) {
    const file = sessionFiles.open(path);
    try {
      if (!file.writable) {
        tell({ reported: 'held', by: file.holder?.pid ?? 0 });
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      for (let line = 0; line < 8 && !stopped; line++) {
        const uuid = `${name}-${++count}`;
        const long = 'x'.repeat(count % 50 === 0 ? 1 << 20 : (count * 131) % 4000);
        const message = { role: 'user', content: `${uuid} ${long}` };
        await file.append([{ type: 'message', uuid, parentUuid: parent, message }]);
        tell({ reported: 'wrote', uuid, plain: false });
      }
    } finally {
      file.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function addPlainly({ path, parent, name }: Extract<WorkerTask, { task: 'plain' }>): Promise<void> {
  for (let count = 0; !stopped; ) {
    const uuid = `${name}-${++count}`;
    const line = { type: 'message', uuid, parentUuid: parent, message: { role: 'user', content: uuid } };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    tell({ reported: 'wrote', uuid, plain: true });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function perform(task: WorkerTask): Promise<void> {
  switch (task.task) {
    case 'write':
      await writeAll(task);
      break;
    case 'fault':
      await failAt(task);
      break;
    case 'lines':
      await addLines(task);
      break;
    case 'plain':
      await addPlainly(task);
      break;
    case 'session':
      session = await openStoreAt(task);
      return tell({ reported: 'open' });
    case 'run':
      return runOne(task.command, task.actor, task.seed);
    case 'stop':
      stopped = true;
      if (session === undefined) return;
      await session.close();
  }
  process.exit(0);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const task: WorkerTask = JSON.parse(line);
  perform(task).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  });
});
// Stdin ends when the parent process has ended.
lines.on('close', () => process.exit(0));
tell({ reported: 'ready' });
