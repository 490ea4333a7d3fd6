// @module-tag terminal
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';
import { makeHome, startTerminal, type Terminal, terminalKeys } from '../../testing/terminal.ts';

const sizes = [
  { columns: 20, rows: 8 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
];

/** The text of a screen without its line breaks, which differ by width. */
const joined = (text: string) => text.replace(/\s+/g, ' ');
const count = (text: string, part: string) => joined(text).split(part).length - 1;

describe('coppice chat in the scrollback of the terminal', () => {
  let terminal: Terminal;
  let home: ReturnType<typeof makeHome>;
  afterEach(() => {
    terminal.kill();
    home.close();
  });

  it.each(sizes)(
    '[O104] [O98] at $columns×$rows messages are ordinary text, once, also after leaving',
    { tags: ['full'] },
    async (size) => {
      home = makeHome();
      terminal = startTerminal(['chat'], home.home, size);
      await terminal.shows('›');
      expect(terminal.written()).not.toContain('\u001b[?1049h');
      terminal.type(`How do I connect a model?${terminalKeys.enter}`);
      // A command that waits for the end of the reply.
      terminal.type(`/label one${terminalKeys.enter}`);
      await terminal.shows(/Labelled/);
      terminal.type(`/cost${terminalKeys.enter}`);
      await terminal.shows(/1 reply on this/);
      terminal.type(terminalKeys.control('r'));
      await terminal.prints(/⑂ Back at You.* guide ‹ 2\/2 ›/);
      terminal.type(`/label two${terminalKeys.enter}`);
      await terminal.shows(/Labelled/);
      terminal.type(terminalKeys.altLeft);
      await terminal.prints(/⑂ Another branch.*‹ 1\/2 ›/);
      terminal.type(terminalKeys.control('t'));
      await terminal.shows(/shown · type/);
      terminal.type(terminalKeys.escape);
      await terminal.hides(/shown · type/);
      terminal.type(`/quit${terminalKeys.enter}`);
      expect(await terminal.ended()).toBe(0);
      const text = terminal.scrollback();
      expect(count(text, 'You How do I connect a model?')).toBe(1);
      expect(count(text, '⑂ Back at You: How')).toBe(1);
      expect(text).toMatch(/Continue with/);
      // The input line is erased.
      expect(text.split('\n').filter((line) => line.startsWith('›'))).toEqual([]);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(size.columns);
    },
  );

  it.each(sizes)(
    '[O104] [O94] at $columns×$rows a long reply is printed as it arrives; Esc stops it, twice more goes back',
    {
      tags: ['full'],
    },
    async (size) => {
      home = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 30\n[ollama]\ndetect = false\n');
      terminal = startTerminal(['chat', 'Tell me a long story'], home.home, size);
      await terminal.shows(/▌/);
      terminal.type(`Second${terminalKeys.enter}`);
      await terminal.shows('Waiting: Second');
      terminal.type(terminalKeys.escape);
      await terminal.shows('› Second');
      await terminal.hides('▌');
      terminal.type(`${terminalKeys.control('u')}`);
      await terminal.hides('Second');
      terminal.type(terminalKeys.escape);
      await terminal.shows(/Press Esc again/);
      terminal.type(terminalKeys.escape);
      await terminal.shows(/› Tell me a long/);
      expect(count(terminal.scrollback(), '⑂ Back at the')).toBe(1);
    },
  );

  it('[O104] the screen is intact after it was made narrower, and a signal leaves the text', {
    tags: ['full'],
  }, async () => {
    home = makeHome();
    terminal = startTerminal(['chat', 'What is a branch?'], home.home, { columns: 100, rows: 30 });
    terminal.type(`/label one${terminalKeys.enter}`);
    await terminal.shows(/Labelled/);
    terminal.resize(50, 20);
    terminal.type('narrow');
    await terminal.shows('› narrow');
    // Between two frames the line may be missing for a moment.
    await expect.poll(() => count(terminal.screen(), '› narrow')).toBe(1);
    terminal.signal('SIGTERM');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.scrollback()).toContain('What is a branch?');
    expect(terminal.written()).toContain('\u001b[?2004l');
  });

  it('[O83] [O191] Ctrl-O lists the models that a configured server has, and one of them can be chosen', {
    tags: ['full'],
  }, async () => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'm-large' }, { id: 'm-small' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const rack = `[providers.rack]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:${port}/v1"\n`;
    home = makeHome(`model = "offline/guide"\n[ollama]\ndetect = false\n${rack}`);
    try {
      terminal = startTerminal(['chat'], home.home);
      await terminal.shows('›');
      terminal.type(terminalKeys.control('o'));
      await terminal.shows('type to search');
      await terminal.shows(/rack\/m-small/);
      // Fast typing: the text and Enter arrive together.
      terminal.type(`m-small${terminalKeys.enter}`);
      await terminal.shows('Using rack/m-small');
      // Typing does not drop the models that arrive meanwhile.
      terminal.type(`${terminalKeys.control('o')}m-large`);
      await terminal.shows(/1 model.*search: m-large/);
      terminal.type(terminalKeys.enter);
      await terminal.shows('Using rack/m-large');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('[O105] Shift-Tab changes how much the model thinks', async () => {
    home = makeHome();
    terminal = startTerminal(['chat'], home.home, { columns: 80, rows: 24 });
    await terminal.shows('›');
    terminal.type(terminalKeys.shiftTab);
    await terminal.shows('thinking low');
    terminal.type(terminalKeys.shiftTab);
    await terminal.shows('thinking medium');
    terminal.type(terminalKeys.shiftTab);
    await terminal.shows('thinking high');
    terminal.type(terminalKeys.shiftTab);
    await terminal.hides(/thinking (?:low|medium|high)/);
    terminal.type(`/thinking${terminalKeys.enter}`);
    await terminal.shows('No reply on this branch has any thinking.');
  });

  it.skipIf(process.platform === 'win32')(
    '[O106] Ctrl-V attaches the image of the clipboard, a dropped file too',
    async () => {
      home = makeHome();
      const programs = join(home.home, 'bin');
      mkdirSync(programs);
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      writeFileSync(join(home.home, 'my picture.png'), png);
      writeFileSync(join(programs, 'wl-paste'), `#!/bin/sh\ncat "${home.home}/my picture.png"\n`);
      chmodSync(join(programs, 'wl-paste'), 0o755);
      const env = { PATH: `${programs}:${process.env['PATH'] ?? ''}` };
      terminal = startTerminal(['chat'], home.home, { columns: 120, rows: 24 }, env);
      await terminal.shows('›');
      terminal.type(terminalKeys.control('v'));
      await terminal.shows(/› @\S+\.png/);
      terminal.type(`${terminalKeys.control('u')}\u001b[200~'${home.home}/my picture.png'\u001b[201~`);
      await terminal.shows(/› @"\S+my picture\.png"/);
      // The guide takes no images, so nothing is stored.
      terminal.type(terminalKeys.enter);
      await terminal.shows('takes none');
      const fixture = makeCliFixture({ home: home.home });
      expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
      fixture.close();
    },
  );
});
