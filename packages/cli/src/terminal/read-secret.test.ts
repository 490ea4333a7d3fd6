// @module-tag terminal
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openModelServer } from '@coppice/engine/testing';
import { describe, expect, it } from 'vitest';
import { makeHome, startCliInTerminal, terminalKeys } from '../testing/terminal.ts';

const key = 'sk-canary-typed-0003';

describe('coppice keys set on a terminal', () => {
  it('[O121] reads the key from a line that is not shown, then ends', async () => {
    const server = await openModelServer({ key });
    const home = makeHome();
    const terminal = startCliInTerminal(['keys', 'set', 'openai', '--address', server.url], home.home);
    try {
      await terminal.shows('press Enter');
      terminal.type(`wrong${terminalKeys.control('u')}${key}x${terminalKeys.backspace}${terminalKeys.enter}`);
      await terminal.shows(/Connected openai/);
      expect(await terminal.ended()).toBe(0);
      expect(terminal.written()).not.toContain(key);
      expect(terminal.written()).not.toContain('wrong');
      expect(readFileSync(join(home.home, '.coppice', 'keys.json'), 'utf8')).toContain(key);
    } finally {
      terminal.kill();
      home.close();
      await server.close();
    }
  });

  it('[O121] Ctrl-C stops, and no key is stored', async () => {
    const home = makeHome();
    const terminal = startCliInTerminal(['keys', 'set', 'openai'], home.home);
    try {
      await terminal.shows('press Enter');
      terminal.type(`sk-half${terminalKeys.control('c')}`);
      expect(await terminal.ended()).toBe(130);
      expect(terminal.written()).not.toContain('sk-half');
    } finally {
      terminal.kill();
      home.close();
    }
  });
});
