// @module-tag terminal
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';
import {
  compiledCliArgv,
  makeHome,
  startCliInTerminal,
  startProgramInTerminal,
  type TestTerminal,
  terminalKeys,
} from '../../testing/terminal.ts';

const sizes = [
  { columns: 20, rows: 8 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 60 },
];

/** The text of a screen without its line breaks, which differ by width. */
const joined = (text: string) => text.replace(/\s+/g, ' ');
const count = (text: string, part: string) => joined(text).split(part).length - 1;

/** Starts a model server whose replies wait for `answer`. Only the first reply has thinking. */
async function startThinkingServer() {
  let calls = 0;
  let isFailing = false;
  let finish: (() => void) | null = null;
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) return response.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }));
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const send = (delta: object, reason: string | null = null) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
      if (isFailing) {
        response.statusCode = 401;
        return response.end(JSON.stringify({ error: { message: 'No such key.' } }));
      }
      response.setHeader('content-type', 'text/event-stream');
      const end = (content: string) => {
        send({ content });
        send({}, 'stop');
        response.end('data: [DONE]\n\n');
      };
      // The call that asks for a title of the chat.
      if (body.includes('You name conversations')) return end('Trees');
      calls++;
      if (calls === 1) send({ reasoning_content: 'Trees grow slowly.' });
      finish = () => end('Because.');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls: () => calls,
    answer: () => finish?.(),
    /** Lets all later calls fail. */
    fail: () => {
      isFailing = true;
    },
    close: () => new Promise<unknown>((resolve) => server.close(resolve)),
  };
}

describe('coppice chat in the scrollback of the terminal', () => {
  let terminal: TestTerminal;
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
      terminal = startCliInTerminal(['chat'], home.home, size);
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
      terminal = startCliInTerminal(['chat', 'Tell me a long story'], home.home, size);
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
    terminal = startCliInTerminal(['chat', 'What is a branch?'], home.home, { columns: 100, rows: 30 });
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

  it('[O104] a window that becomes narrower and lower while a reply arrives repeats nothing and keeps the scrollback', {
    tags: ['full'],
  }, async () => {
    const server = await startThinkingServer();
    home = makeHome(
      `model = "far/m"\n[ollama]\ndetect = false\n[providers.far]\nkind = "openai-compatible"\nbase_url = "${server.url}"\n`,
    );
    try {
      terminal = startCliInTerminal(['chat', 'Why?'], home.home, { columns: 120, rows: 30 });
      await terminal.shows('thinking: Trees grow slowly.');
      const draft = 'a draft that takes several rows of the narrow window, as does its beginning';
      terminal.type(draft);
      await terminal.shows(draft);
      for (const [columns, rows] of [
        [60, 20],
        [24, 12],
        [70, 24],
        [30, 12],
      ] as const) {
        terminal.resize(columns, rows);
        await terminal.shows(
          columns < 40 ? /› a draft that[^\n]{0,16}\n {2}\S/ : /› a draft that takes several rows of the narrow/,
        );
        await terminal.shows('thinking: ');
      }
      server.answer();
      await terminal.prints(/m ▸ thought for 3 words.* Because\./);
      await terminal.hides('▌');
      const lines = terminal.scrollback().split('\n');
      expect(lines.filter((line) => line === 'm')).toHaveLength(1);
      expect(lines.filter((line) => line.startsWith('›'))).toHaveLength(1);
      expect(terminal.written()).not.toContain('\u001b[3J');
    } finally {
      terminal.kill();
      await server.close();
    }
  });

  it('[O33] draws the interface in an environment of a build server too', { tags: ['full'] }, async () => {
    home = makeHome();
    terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 }, { CI: 'true' });
    await terminal.shows('›');
    terminal.type('What is a bra');
    await terminal.shows('› What is a bra');
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
      terminal = startCliInTerminal(['chat'], home.home);
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
      // The cursor is at the current model, also before the server has answered.
      terminal.type(terminalKeys.control('o'));
      await terminal.shows(/▶ rack\/m-large/);
      terminal.kill();
      terminal = startCliInTerminal(['chat', '-m', 'rack/m-small'], home.home);
      await terminal.shows('›');
      terminal.type(terminalKeys.control('o'));
      await terminal.shows(/▶ rack\/m-small/);
      await terminal.shows(/rack\/m-large/);
      expect(terminal.screen()).toContain('▶ rack/m-small');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('[O95] the list of past chats shows the end of the selected one, and leaves the chat above it on the screen', {
    tags: ['full'],
  }, async () => {
    home = makeHome();
    const fixture = makeCliFixture({ home: home.home });
    await fixture.run(['append', '--new', '--title', 'Elm', 'How tall is an elm?']);
    await fixture.run(['append', 'last', 'And an oak?']);
    await fixture.run(['append', '--new', '--title', 'Yew', 'How old is a yew?']);
    fixture.close();
    terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 });
    await terminal.shows('Ctrl-X shows the keys');
    terminal.type(`/resume${terminalKeys.enter}`);
    await terminal.shows(/2 chats[\s\S]*▶.*Yew[\s\S]*You: How old is a yew\?/);
    terminal.type(terminalKeys.down);
    await terminal.shows(/▶.*Elm[\s\S]*You: How tall is an elm\?\s+You: And an oak\?/);
    terminal.type('yew');
    await terminal.shows(/1 chat · search: yew[\s\S]*You: How old is a yew\?/);
    // Esc empties the search, and the next one closes the list.
    terminal.type(`${terminalKeys.escape}${terminalKeys.escape}`);
    await terminal.hides('type to search');
    // The list of models is longer than the screen, and the chat above it stays.
    terminal.type(`/models${terminalKeys.enter}`);
    await terminal.shows(/models · type to search/);
    expect(terminal.screen()).toContain('Ctrl-X shows the keys');
  });

  it('[O105] folds thinking into a line, which /thinking shows, also while the reply is running', async () => {
    const server = await startThinkingServer();
    home = makeHome(
      `model = "lab/m"\n[ollama]\ndetect = false\n[providers.lab]\nkind = "openai-compatible"\nbase_url = "${server.url}"\n`,
    );
    try {
      terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 });
      await terminal.shows('›');
      terminal.type(`Why?${terminalKeys.enter}`);
      await terminal.shows('thinking: Trees grow slowly.');
      terminal.type(`/thinking${terminalKeys.enter}`);
      await terminal.prints(/› \/thinking Trees grow slowly\./);
      server.answer();
      await terminal.shows(/▸ thought for 3 words; \/thinking shows them\s+Because\./);
      await terminal.hides('answering…');
      terminal.type(`/thinking${terminalKeys.enter}`);
      await terminal.prints(/Because\. › \/thinking Trees grow slowly\./);
      // Copied with the terminal's own sequence, without the thinking.
      terminal.type(`/copy${terminalKeys.enter}`);
      await terminal.shows('Copied the last reply');
      expect(terminal.written()).toContain(`\u001b]52;c;${Buffer.from('Because.').toString('base64')}\u0007`);
      // The notice that the thinking is not sent back appears once per chat.
      for (const [question, calls] of [
        ['And then?', 2],
        ['And after that?', 3],
      ] as const) {
        terminal.type(`${question}${terminalKeys.enter}`);
        await expect.poll(server.calls).toBe(calls);
        server.answer();
        await terminal.prints(new RegExp(`You ${question.replace('?', '\\?')} m .*Because\\.`));
        await terminal.hides('answering…');
        expect(terminal.screen().includes('does not take thinking blocks')).toBe(calls === 2);
      }
    } finally {
      await server.close();
    }
  });

  it.skipIf(process.platform === 'win32')(
    '[O143] Ctrl-Z stops the program, and the chat continues with its draft; Ctrl-L clears the screen',
    async () => {
      home = makeHome();
      const script = `set -m; "$0" "$@"; echo now stopped; read line; fg >/dev/null`;
      terminal = startProgramInTerminal(['sh', '-c', script, ...compiledCliArgv, 'chat'], home.home, {
        columns: 80,
        rows: 24,
      });
      await terminal.shows('›');
      terminal.type('An oak');
      await terminal.shows('› An oak');
      terminal.type(terminalKeys.control('z'));
      await terminal.shows('now stopped');
      expect(terminal.screen()).not.toContain('› An oak');
      // The terminal echoes again, and shows its cursor.
      expect(terminal.written().split('\u001b[?25h').at(-1)).not.toContain('\u001b[?25l');
      terminal.type('x');
      await terminal.shows(/^x$/m);
      terminal.type('\n');
      await terminal.shows('› An oak');
      expect(terminal.screen()).toContain('now stopped');
      terminal.type(' and a yew');
      await terminal.shows('› An oak and a yew');
      terminal.type(terminalKeys.control('l'));
      await terminal.hides('now stopped');
      await terminal.shows('› An oak and a yew');
      terminal.type(`${terminalKeys.control('u')}${terminalKeys.control('d')}`);
      expect(await terminal.ended()).toBe(0);
    },
  );

  it('[O142] [O102] a failed reply says why, and typed letters do not answer a question', {
    tags: ['full'],
  }, async () => {
    const server = await startThinkingServer();
    home = makeHome(
      `model = "lab/m"\n[ollama]\ndetect = false\n[providers.lab]\nkind = "openai-compatible"\nbase_url = "${server.url}"\n`,
    );
    try {
      terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 });
      await terminal.shows('›');
      terminal.type(`Why?${terminalKeys.enter}`);
      await terminal.shows('thinking: Trees grow slowly.');
      terminal.type(`!echo from the shell${terminalKeys.enter}`);
      await terminal.shows('Waiting: !echo');
      terminal.type('yes, an ');
      await terminal.shows('› yes, an');
      server.answer();
      await terminal.shows(/Run echo from the shell[\s\S]*Send or clear your text/);
      terminal.type('ash');
      await terminal.shows('› yes, an ash');
      terminal.type(terminalKeys.control('u'));
      await terminal.shows('y / n / a');
      terminal.type('y');
      await terminal.shows('│ from the shell');
      server.fail();
      terminal.type(`And now?${terminalKeys.enter}`);
      await terminal.prints(
        /m error \S+ did not accept the key \(status 401\)\. No such key\. Replace the key with coppice keys set lab\./,
      );
      await terminal.hides('answering…');
      expect(count(terminal.scrollback(), 'did not accept the key')).toBe(1);
      terminal.type(`/quit${terminalKeys.enter}`);
      expect(await terminal.ended()).toBe(0);
      const fixture = makeCliFixture({ home: home.home });
      expect((await fixture.run(['show', 'last'])).out).toMatch(/m error {2}\S+\n\S+ did not accept the key/);
      fixture.close();
    } finally {
      await server.close();
    }
  });

  it('[O197] a key that the chat does not know does nothing, and its sequence is not text', async () => {
    home = makeHome();
    terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 });
    await terminal.shows('›');
    // Ctrl-F1, Ctrl-F4, and the report that the window has the focus.
    terminal.type('\u001b[1;5P\u001b[1;5S\u001b[IAn oak');
    await terminal.shows(/› An oak\s*$/m);
    // Text that was copied with its colours.
    terminal.type(`${terminalKeys.control('u')}\u001b[200~a \u001b[31mred\u001b[0m\u0007 yew\u001b[201~`);
    await terminal.shows(/› a red yew\s*$/m);
  });

  it('[O97] the arrow keys pass over an earlier command, whose menu stays closed', async () => {
    home = makeHome();
    terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 });
    await terminal.shows('›');
    terminal.type(`/name Elms${terminalKeys.enter}`);
    await terminal.shows('Elms');
    terminal.type(`/cost${terminalKeys.enter}`);
    await terminal.shows('No reply on this branch');
    terminal.type(terminalKeys.up);
    await terminal.shows('› /cost');
    expect(terminal.screen()).not.toContain('Shows the tokens');
    terminal.type(terminalKeys.up);
    await terminal.shows('› /name Elms');
    // Typing opens the menu again.
    terminal.type(`${terminalKeys.down}${terminalKeys.backspace}`);
    await terminal.shows('Shows the tokens');
  });

  it.skipIf(process.platform === 'win32')(
    '[O33] a terminal that is closed signals more than once, and the reply keeps its text',
    async () => {
      home = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 30\n[ollama]\ndetect = false\n');
      terminal = startCliInTerminal(['chat', 'Tell me a long story'], home.home, { columns: 80, rows: 24 });
      await terminal.shows(/babble\n(?:.+\n)+▌/);
      for (let at = 0; at < 5; at++) {
        terminal.signal('SIGHUP');
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await terminal.ended()).toBe(130);
      const fixture = makeCliFixture({ home: home.home });
      const { nodes } = await fixture.json(['show', 'last']);
      expect(nodes).toMatchObject([
        { role: 'user' },
        { role: 'assistant', status: expect.stringMatching(/^(?:aborted|interrupted)$/) },
      ]);
      fixture.close();
    },
  );

  it('[O96] /continue continues a reply that was stopped, in the same message', async () => {
    home = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 30\n[ollama]\ndetect = false\n');
    terminal = startCliInTerminal(['chat', 'Tell me a long story'], home.home, { columns: 80, rows: 24 });
    await terminal.shows(/babble\n(?:.+\n)+▌/);
    terminal.type(terminalKeys.escape);
    await terminal.prints(/aborted.* ›/);
    await terminal.hides('answering…');
    terminal.type(`/continue${terminalKeys.enter}`);
    await terminal.shows(/answering…/);
    await terminal.shows(/babble\n(?:.+\n)+▌/);
    terminal.type(terminalKeys.escape);
    await terminal.hides('answering…');
    expect(terminal.scrollback()).not.toContain('⑂');
    terminal.type(terminalKeys.control('d'));
    expect(await terminal.ended()).toBe(0);
    const fixture = makeCliFixture({ home: home.home });
    expect(await fixture.json(['show', 'last'])).toMatchObject({ nodes: { length: 2 } });
    expect((await fixture.run(['log', 'last'])).out.split('\n').filter((line) => line !== '').length).toBeGreaterThan(
      2,
    );
    fixture.close();
  });

  it('[O98] a running reply is on the normal screen with its text after the full screen was left', {
    tags: ['full'],
  }, async () => {
    home = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 30\n[ollama]\ndetect = false\n');
    terminal = startCliInTerminal(['chat', '--full-screen', 'Tell me a long story'], home.home, {
      columns: 80,
      rows: 24,
    });
    await terminal.shows(/babble\n(?:.+\n)+▌/);
    const [, shown = ''] = /babble\n(\S+)/.exec(terminal.screen()) ?? [];
    terminal.type(terminalKeys.control('d'));
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).toMatch(new RegExp(`pending\\n${shown}`));
  });

  it('[O33] on the smallest screen a list covers the notice, and its lines do not overlap', {
    tags: ['full'],
  }, async () => {
    home = makeHome();
    terminal = startCliInTerminal(['chat', '--full-screen'], home.home, { columns: 20, rows: 8 });
    await terminal.shows('›');
    terminal.type(`/cost${terminalKeys.enter}`);
    await terminal.shows('No reply');
    terminal.type(`/models${terminalKeys.enter}`);
    await terminal.shows(/^\d+ models[\s\S]*\n▶ \S+/m);
    expect(terminal.screen()).not.toContain('No reply');
  });

  it('[O105] Shift-Tab changes how much the model thinks', async () => {
    home = makeHome();
    terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 });
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
      terminal = startCliInTerminal(['chat'], home.home, { columns: 120, rows: 24 }, env);
      await terminal.shows('›');
      terminal.type(terminalKeys.control('v'));
      await terminal.shows(/› @\S+\.png/);
      expect(terminal.screen()).not.toContain('"');
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
