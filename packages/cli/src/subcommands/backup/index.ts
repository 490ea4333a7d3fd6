import { resolve } from 'node:path';
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
    const { kind } = await store.info();
    return {
      data: { place, kind },
      lines: [`Written to ${place}.`, at.output.style.quiet(`Look into it with coppice ls --store ${kind}:${place}`)],
    };
  },
});
