// @module-tag full
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const worker = fileURLToPath(new URL('../../test/import-memory.ts', import.meta.url));
const mega = 1024 * 1024;

test('[IM11] the memory of an import does not grow with its input, and stays within 256 MB above idle', () => {
  const place = mkdtempSync(join(tmpdir(), 'coppice-memory-'));
  try {
    const options = ['--expose-gc', '--import', 'tsx', worker, `sqlite:${join(place, 'trees.db')}`, String(24 * mega)];
    const { above, early, late, conversations }: { readonly [what: string]: number } = JSON.parse(
      execFileSync(process.execPath, options, { encoding: 'utf8' }),
    );
    expect(conversations).toBeGreaterThan(100);
    expect(above).toBeLessThan(256 * mega);
    // 18 MB were imported between the two measurements, so a list of everything read or stored would exceed this limit.
    expect(Number(late) - Number(early)).toBeLessThan(4 * mega);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
