// Adds the documentation to a built page: tsx site/write-documents.ts <folder of the page>.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderDocumentFiles } from './document-files.ts';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Name the folder of the built page.');
for (const { path, content } of renderDocumentFiles()) {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}
