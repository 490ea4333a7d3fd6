import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { shellWord } from '../../changing.ts';
import { defineSubcommand } from '../contract.ts';

export const backup = defineSubcommand({
  name: 'backup',
  summary: 'write a complete copy that can be opened as a store, while others go on writing',
  group: 'Look after',
  arguments: [{ name: 'to', summary: 'the file or folder; must not be there yet', completes: 'file' }],
  examples: ['coppice backup ~/coppice-backup.db'],
  async run(given, at) {
    const store = await at.keptStore();
    const place = resolve(at.host.cwd, given.text('to'));
    await store.backup(place);
    const kind = await backupKind(place, (await store.info()).kind);
    return {
      data: { place, kind },
      lines: [
        `Written to ${place}.`,
        at.output.style.quiet(`Look into it with coppice ls --store ${shellWord(`${kind}:${place}`)}`),
      ],
    };
  },
});

const sqliteBegins = 'SQLite format 3\0';

/** What a copy is opened as: that of a database on a server is a file of another kind. */
export async function backupKind(place: string, kind: string): Promise<string> {
  const file = await open(place).catch(() => null);
  if (file === null) return kind;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sqliteBegins.length), 0, sqliteBegins.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === sqliteBegins ? 'sqlite' : kind;
  } catch {
    // A folder.
    return kind;
  } finally {
    await file.close();
  }
}
