/** A folder with session files for one test, and the lines that they begin with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionEntry, SessionFile } from '@coppice/content/sessions';
import { uuid } from '@coppice/core/testing';
import { afterEach, beforeEach } from 'vitest';

/** The root of the sessions. */
export const sessionRootId = uuid(1);
/** Their first line. */
export const sessionHeaderLine = `${JSON.stringify({ type: 'session', version: 2, uuid: sessionRootId, parentUuid: null, id: uuid(2), cwd: '/w' })}\n`;

/** A message in the form of a line. */
export const textMessageOf = (at: number, text = `said ${at}`) => ({ role: 'user', content: [{ type: 'text', text }] });

/** A message below another. */
export const messageEntry = (at: number, above: string): SessionEntry => ({
  type: 'message',
  uuid: uuid(at),
  parentUuid: above,
  message: textMessageOf(at),
});

/** Creates a folder before each test; closes open files and deletes it afterwards. */
export function useSessionFolder(): { readonly folder: string; readonly opened: SessionFile[] } {
  const fixture = { folder: '', opened: [] as SessionFile[] };
  beforeEach(() => {
    fixture.folder = mkdtempSync(join(tmpdir(), 'coppice-lines-'));
  });
  afterEach(() => {
    for (const file of fixture.opened.splice(0)) file.close();
    rmSync(fixture.folder, { recursive: true, force: true });
  });
  return fixture;
}
