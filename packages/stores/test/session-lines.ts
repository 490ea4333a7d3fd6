/** Builds the lines of sample session files, and creates a folder for them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionEntry, SessionFile } from '@coppice/content/sessions';
import { testUuid } from '@coppice/core/testing';
import { afterEach, beforeEach } from 'vitest';

export const sessionRootId = testUuid(1);
export const sessionHeaderLine = `${JSON.stringify({ type: 'session', version: 2, uuid: sessionRootId, parentUuid: null, id: testUuid(2), cwd: '/w' })}\n`;

/** Builds a text message for a session line. */
export const buildTextMessage = (at: number, text = `said ${at}`) => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

/** Builds the entry of a message below another one. */
export const buildMessageEntry = (at: number, above: string): SessionEntry => ({
  type: 'message',
  uuid: testUuid(at),
  parentUuid: above,
  message: buildTextMessage(at),
});

/** Creates a folder before each test; after the test, closes the opened files and deletes the folder. */
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
