/** A process that works on a session file and prints each acknowledged action. A test may kill it at any point. */

import { randomUUID } from 'node:crypto';
import { appendFileSync, writeSync } from 'node:fs';
import { isAppError } from '@coppice/core';
import { sessionFiles } from '../src/jsonl/session-files.ts';

const [path = '', what = 'hold', parent = ''] = process.argv.slice(2);

function say(word: string): void {
  const line = Buffer.from(`${word}\n`);
  for (let at = 0; at < line.length; ) {
    try {
      at += writeSync(1, line, at);
    } catch (error) {
      // EAGAIN means that the pipe is full. The write is tried again.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

async function work(): Promise<void> {
  if (what === 'plain') {
    // Behaves like another tool, which appends lines and ignores the lease.
    for (let count = 0; ; count++) {
      const uuid = `plain-${process.pid}-${count}`;
      const line = { type: 'message', uuid, parentUuid: parent, message: { role: 'user', content: `plain ${count}` } };
      appendFileSync(path, `${JSON.stringify(line)}\n`);
      say(`wrote ${uuid}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  const file = sessionFiles.open(path);
  say(file.writable ? 'writable' : `held by ${file.holder?.pid}`);
  if (what === 'hold') await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (what === 'append') {
    file.append([
      {
        type: 'message',
        uuid: randomUUID(),
        parentUuid: parent,
        message: { role: 'user', content: 'from another process' },
      },
    ]);
    say('acknowledged');
  }
  file.close();
  say('closed');
}

work().catch((error: unknown) => {
  say(isAppError(error) ? `refused ${error.code} ${error.message}` : `failed ${String(error)}`);
  process.exitCode = 1;
});
