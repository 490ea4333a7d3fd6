import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { WorkProgress } from '@coppice/core';
import { createProgressBar } from '../../terminal/progress.ts';
import { quoteShellWord } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const backup = defineSubcommand({
  name: 'backup',
  summary: 'copy the whole store to a new file or folder',
  worksOn: 'own-store',
  insteadOnServer: (server) =>
    `It copies the files of the store. Run it on the computer of the server, or copy your own chats with coppice export --all -o <file> --server ${server}.`,
  group: 'Manage',
  arguments: [{ name: 'to', summary: 'new file or folder; must not exist yet', completes: 'file' }],
  examples: ['coppice backup ~/coppice-backup.db'],
  async run(given, at) {
    const store = await at.keptStore();
    const place = resolve(at.host.cwd, given.text('to'));
    const progress = createProgressBar(at.output, 'copied');
    const onProgress = ({ done, total }: WorkProgress) => progress.tell(done, total - done);
    await store.backup(place, { onProgress }).finally(() => progress.end());
    const kind = await storeKindOfBackup(place, (await store.info()).kind);
    return {
      data: { place, kind },
      lines: [
        `Written to ${place}.`,
        at.output.style.quiet(`Open it with coppice ls --store ${quoteShellWord(`${kind}:${place}`)}`),
      ],
    };
  },
});

const sqliteBegins = 'SQLite format 3\0';

/** Returns the kind of store that opens a backup. The backup of a database server is an SQLite file. */
export async function storeKindOfBackup(place: string, kind: string): Promise<string> {
  const file = await open(place).catch(() => null);
  if (file === null) return kind;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sqliteBegins.length), 0, sqliteBegins.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === sqliteBegins ? 'sqlite' : kind;
  } catch {
    // The path is a folder.
    return kind;
  } finally {
    await file.close();
  }
}
