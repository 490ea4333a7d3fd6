/**
 * Imports a stream of a given size into a SQLite file and reports the memory: the peak of resident memory above idle,
 * and the live heap after the first quarter and at the end. It runs in a separate process, so that other tests do not
 * affect its heap.
 */
import { wrapStreamAsFile } from '@coppice/content/formats';
import { openStore } from '@coppice/stores';
import { importInto } from '../src/import/index.ts';

const [, , url = '', size = ''] = process.argv;
const total = Number(size);
const words = 'The quick brown fox jumps over the lazy dog; it does so again and again. '.repeat(50);

function conversation(number: number): string {
  const mapping: { [id: string]: object } = {};
  for (let at = 0; at <= 40; at++)
    mapping[`m${number}-${at}`] = {
      id: `m${number}-${at}`,
      parent: at === 0 ? null : `m${number}-${at - 1}`,
      children: at === 40 ? [] : [`m${number}-${at + 1}`],
      message:
        at === 0
          ? null
          : {
              id: `m${number}-${at}`,
              author: { role: at % 2 === 1 ? 'user' : 'assistant' },
              create_time: 1_700_000_000 + at,
              content: { content_type: 'text', parts: [`${at} of ${number}. ${words}`] },
            },
    };
  return JSON.stringify({ title: `${number}`, mapping, current_node: `m${number}-40`, conversation_id: `c${number}` });
}

async function* stream(): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for (let number = 0; sent < total; number++) {
    const piece = Buffer.from(`${number === 0 ? '[' : ','}${conversation(number)}`);
    sent += piece.length;
    yield piece;
  }
  yield Buffer.from(']');
}

/** Returns the live heap plus external memory. */
function held(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const store = await openStore(url);
held();
const idle = process.memoryUsage().rss;
let most = idle;
let early = 0;
let conversations = 0;
const file = await wrapStreamAsFile('-', stream());
for await (const event of importInto(store, { files: [file] })) {
  most = Math.max(most, process.memoryUsage().rss);
  if (event.type === 'conversation') conversations++;
  if (event.type === 'progress' && early === 0 && event.bytes > total / 4) early = held();
}
const late = held();
await store.close();
process.stdout.write(JSON.stringify({ above: most - idle, early, late, conversations }));
