/**
 * Creates one temporary folder for a whole test run and removes it at the end. A test that fails, or whose process is
 * killed, cannot remove its own folder. The folder of `npm test` is in memory if there is room: most of its tests write
 * to a store, and each write would wait for the disk. `npm run test:full` and single files use the disk.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTestTier } from '../scripts/tiers.ts';

const memoryFolder = '/dev/shm';
const memoryName = /^coppice-run-(\d+)-/;
const neededBytes = 2 * 1024 ** 3;

/** Removes the folders of runs that were killed, which would occupy memory. */
function removeLeftFolders(): void {
  for (const name of readdirSync(memoryFolder)) {
    const [, pid] = memoryName.exec(name) ?? [];
    if (pid === undefined || existsSync(join('/proc', pid))) continue;
    try {
      rmSync(join(memoryFolder, name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user.
    }
  }
}

/** Creates the folder in memory; null if there is no such file system, too little room, or if it runs no programs. */
function makeFolderInMemory(): string | null {
  let folder: string | null = null;
  try {
    removeLeftFolders();
    const { bavail, bsize } = statfsSync(memoryFolder);
    if (bavail * bsize < neededBytes) return null;
    folder = mkdtempSync(join(memoryFolder, `coppice-run-${process.pid}-`));
    const program = join(folder, 'probe');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

/** Vitest calls this before any test. Processes that start later inherit the folder. */
export function setup(): () => void {
  // If TMPDIR is set, the folder is created there and not in memory.
  const inMemory = readTestTier() === 'daily' && process.env['TMPDIR'] === undefined ? makeFolderInMemory() : null;
  // The name is short, because the paths of sockets in the folder are limited in length.
  const folder = inMemory ?? mkdtempSync(join(tmpdir(), 'coppice-run-'));
  // The permissions are those of the system's folder, because some tests run programs as another user who creates files
  // there.
  chmodSync(folder, 0o1777);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A process still writes into the folder; that does not fail the tests.
    }
  };
}
