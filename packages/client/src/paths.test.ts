import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateClientSource } from '@coppice/server/testing/client-source';
import { expect, test } from 'vitest';

/**
 * Removes the differences between generated and formatted source:
 * white space, quotes, and the leading bar of a multi-line union.
 */
function bare(source: string): string {
  return source.replaceAll(/[\s"']+/g, '').replaceAll(/([:=(<,])\|/g, '$1');
}

test('[A33] the types of the client match the current routes', async () => {
  const kept = readFileSync(join(import.meta.dirname, 'paths.ts'), 'utf8');
  expect(bare(await generateClientSource()) === bare(kept), 'run npm run client -w @coppice/server').toBe(true);
});
