/** Compares the import of an export in ChatGPT's format with parsing the same text and inserting its messages. */
import { join } from 'node:path';
import { type ImportInput, wrapBytesAsFile } from '@coppice/content/formats';
import { importInto } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { makeExportText } from '../formats/exports.ts';
import { measureAlternating, measureCpuTime, preventOptimisation } from '../measure.ts';
import { MinimalSqlite } from './minimal-sqlite.ts';

const conversations = 100;
const messages = 100;
const turns = 5;

interface ExportedNode {
  readonly id: string;
  readonly parent: string | null;
  readonly message: { readonly author: { readonly role: string }; readonly content: object } | null;
}

/** Parses the whole text and inserts each conversation in one transaction, one narrow row per message. */
function importNarrow(least: MinimalSqlite, text: string): void {
  const list: readonly { readonly mapping: { readonly [id: string]: ExportedNode } }[] = JSON.parse(text);
  for (const { mapping } of list)
    least.transaction(() => {
      const numbers = new Map<string, number>();
      for (const { id, parent, message } of Object.values(mapping)) {
        const above = parent === null ? null : (numbers.get(parent) ?? null);
        const { role, content } =
          message === null ? { role: 'root', content: [] } : { role: message.author.role, content: message.content };
        numbers.set(id, least.insert(above, role, JSON.stringify(content)));
      }
    });
}

/** Returns the CPU times of creating a file and importing 10,000 messages into it, in microseconds. */
export async function measureImportTimes(folder: string): Promise<{ readonly least: number; readonly ours: number }> {
  const text = makeExportText(conversations, messages);
  const input: ImportInput = { files: [wrapBytesAsFile('conversations.json', Buffer.from(text))] };
  return measureAlternating(
    {
      least: (turn) => {
        const least = new MinimalSqlite(join(folder, `import-least-${turn}.db`));
        importNarrow(least, text);
        least.close();
      },
      ours: async (turn) => {
        const store = await openStore(`sqlite:${join(folder, `import-ours-${turn}.db`)}`);
        for await (const event of importInto(store, input)) preventOptimisation(event);
        await store.close();
      },
    },
    turns,
    2,
    measureCpuTime,
  );
}
