/** Compares the drawings of the documents with new drawings of live trees. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawingNames, renderDrawing } from '../site/drawings.ts';
import { openRepository, workspaceRoot } from './checks/workspace.ts';

const workspace = openRepository();

test.each(drawingNames)('the drawing %s shows what a store holds', async (name) => {
  const path = `docs/drawings/${name}.svg`;
  const drawn = await renderDrawing(name);
  if (process.env['COPPICE_WRITE_DOCS'] === '1') {
    mkdirSync(join(workspaceRoot, 'docs/drawings'), { recursive: true });
    writeFileSync(join(workspaceRoot, path), drawn);
  }
  // COPPICE_WRITE_DOCS=1 npx vitest run test/drawings.test.ts writes the drawings.
  expect(openRepository().read(path)).toBe(drawn);
  expect(workspace.read('docs/concepts.md')).toContain(`(drawings/${name}.svg)`);
});
