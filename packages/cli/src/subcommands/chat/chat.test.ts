// @module-tag terminal
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from '../../testing/index.ts';
import { makeHome, startCliInTerminal, type TestTerminal, terminalKeys } from '../../testing/terminal.ts';

describe('coppice chat in a pipe', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture({ config: instantRepliesConfig, env: { COPPICE_MODEL: 'offline/guide' } });
  });
  afterEach(() => fixture.close());

  it('[O32] prints one reply, stores both messages, and continues the chat the next time', async () => {
    const first = await fixture.run(['chat', '-p'], 'How do I connect a model?\n');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('ANTHROPIC_API_KEY');
    const shown = await fixture.json(['show', 'last']);
    expect(shown).toMatchObject({ nodes: [{ role: 'user' }, { role: 'assistant', status: 'success' }] });
    const second = await fixture.json(['chat', '-p', '--resume', 'And then?']);
    expect(second).toMatchObject({ treeId: shown['treeId'], model: 'offline/guide', node: { role: 'assistant' } });
    expect(await fixture.json(['show', 'last'])).toMatchObject({ nodes: { length: 4 } });
  });

  it('[O32] a line that begins with a slash is a command, and one that changes nothing creates no tree', async () => {
    const help = await fixture.run(['chat', '-p', '/help switch']);
    expect(help).toMatchObject({ code: 0, err: '', out: expect.stringContaining('/switch <message>') });
    expect(await fixture.run(['chat', '-p', '/swich 1'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('/switch'),
    });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    const { tree } = await fixture.createChat('One', 'Two');
    expect((await fixture.run(['chat', '-p', '-t', tree], '/tree\n')).out).toContain('“Two”');
    expect(await fixture.json(['chat', '-p', '-t', tree, '/name', 'The oak'])).toMatchObject({
      treeId: tree,
      undo: '/undo',
    });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [{ attributes: { title: 'The oak' } }] });
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: { length: 2 } });
  });

  it('[O32] a terminal that cannot draw gets plain output', async () => {
    const written: string[] = [];
    const stdout = { isTTY: true, columns: 80, write: (text: string | Uint8Array) => written.push(String(text)) };
    const dumb = makeCliFixture({ stdout, env: { TERM: 'dumb' }, home: fixture.home });
    expect(await dumb.run(['chat', '-p'])).toMatchObject({ code: 2, err: expect.stringContaining('message is empty') });
    expect(written).toEqual([]);
    expect(await dumb.run(['chat'])).toMatchObject({ code: 0, err: '' });
    expect(written.join('')).toMatch(/^offline\/guide\. Write [\x20-\x7e]*\n> \n$/);
    dumb.close();
  });

  it('[O32] an unknown model is refused before anything is stored', async () => {
    for (const model of ['nope/none', 'offline/nope'])
      expect(await fixture.run(['chat', '-p', '-m', model, 'Hello'])).toMatchObject({ code: 3, out: '' });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
  });

  it('[O85] a model without a key is refused before anything is stored', async () => {
    const { tree } = await fixture.createChat('Older');
    const ran = await fixture.run(['chat', '-p', '-m', 'anthropic/claude-sonnet-4-5', 'Hello']);
    expect(ran).toMatchObject({ code: 5, out: '', err: expect.stringContaining('ANTHROPIC_API_KEY') });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [{ id: tree }] });
    expect(await fixture.json(['trash'])).toMatchObject({ items: [] });
    // A continued tree gets neither the message nor an error reply.
    const again = await fixture.run(['chat', '-p', '-t', tree, '-m', 'openai/gpt-5', 'Hello']);
    expect(again).toMatchObject({ code: 5, err: expect.stringContaining('OPENAI_API_KEY') });
    expect((await fixture.run(['regenerate', tree, '-m', 'openai/gpt-5'])).code).toBe(5);
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: { length: 1 } });
  });

  it('[O32] an interruption keeps the received text, and exits with 130', async () => {
    const stop = new AbortController();
    let received = '';
    const running = makeCliFixture({
      config: '[offline]\ndelay_ms = 25\n[ollama]\ndetect = false\n',
      env: { COPPICE_MODEL: 'offline/babble' },
      home: fixture.home,
      signal: stop.signal,
      stdout: {
        write(text: string | Uint8Array) {
          received += text;
          if (received.length > 20) stop.abort();
        },
      },
    });
    expect(await running.run(['chat', '-p'], 'Tell me a long story.')).toMatchObject({ code: 130 });
    const { nodes } = await fixture.json(['show', 'last']);
    expect(nodes).toMatchObject([{ role: 'user' }, { role: 'assistant', status: 'aborted' }]);
    running.close();
  });

  it('[O38] continues in a session file, and beside it', async () => {
    const path = `${fixture.home}/notes/session.jsonl`;
    mkdirSync(dirname(path));
    const on = ['--store', `jsonl:${path}`];
    expect(await fixture.run(['chat', '-p', ...on], 'How do I connect a model?')).toMatchObject({ code: 0 });
    expect(await fixture.run(['chat', '-p', ...on], 'And then?')).toMatchObject({ code: 0 });
    expect(await fixture.json(['show', 'last', ...on])).toMatchObject({ nodes: { length: 4 } });
    const lines = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: 'session', version: 2 });
    expect(lines.filter((line) => line.type === 'message')).toHaveLength(4);
    const files = () => readdirSync(dirname(path)).filter((name) => name.endsWith('.jsonl'));
    expect(files()).toEqual(['session.jsonl']);
    // The copy is a new file. `last` still means the session of the named file, although the copy was changed later.
    expect(await fixture.run(['chat', '-p', ...on, '/clone'])).toMatchObject({ code: 0 });
    expect(files()).toHaveLength(2);
    expect(await fixture.run(['chat', '-p', ...on, '-t', 'last', '/label here'])).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toContain('"here"');
  });

  it('[O5] an empty message is refused, and an unknown model is named', async () => {
    expect(await fixture.run(['chat', '-p'], '')).toMatchObject({ code: 2 });
    const wrong = await fixture.run(['chat', '-p', '-m', 'nobody/nothing', 'Hello']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.err).toContain('nobody');
  });
});

describe('coppice chat on a terminal', () => {
  let home: ReturnType<typeof makeHome>;
  let terminal: TestTerminal;
  beforeAll(() => {
    home = makeHome();
  });
  afterAll(() => home.close());
  afterEach(() => terminal.kill());

  it('[O32] a terminal without cursor control has a chat in lines, which goes on after an error', async () => {
    terminal = startCliInTerminal(['chat'], home.home, { columns: 80, rows: 24 }, { TERM: 'dumb' });
    await terminal.shows(/offline\/guide\. Write and press Enter[\s\S]*^>/m);
    terminal.type('What is a branch?\r');
    await terminal.shows(/branch means[\s\S]*^> ?$/m);
    terminal.type('/nosuch\r');
    await terminal.shows(/There is no command \/nosuch[\s\S]*^> ?$/m);
    terminal.type('/branches\r');
    await terminal.shows(/There is 1 branch/);
    terminal.type(terminalKeys.control('d'));
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).toMatch(/Continue with coppice chat -t \w{8}/);
    expect(terminal.written()).not.toContain('\u001b[?2004h');
  });

  it('[O33] chats, regenerates, branches, switches, undoes, compacts and leaves', async () => {
    terminal = startCliInTerminal(['chat', '--full-screen'], home.home);
    await terminal.shows(/New chat[\s\S]*Ctrl-X\s+shows the keys/);
    terminal.type(`How do I connect a model?${terminalKeys.enter}`);
    // The title is set after the turn and appears without a key press.
    await terminal.shows(/❧ How do I connect a model\?.* 2 messages/);
    await terminal.hides('Ctrl-X');
    await terminal.shows('ANTHROPIC_API_KEY');
    terminal.type(terminalKeys.control('r'));
    await terminal.shows(/2 messages[\s\S]*‹ 2\/2 ›/);
    terminal.type(terminalKeys.altLeft);
    await terminal.shows('‹ 1/2 ›');
    terminal.type(`What is a branch?${terminalKeys.enter}`);
    await terminal.shows('4 messages');
    terminal.type(`/pop${terminalKeys.enter}`);
    await terminal.shows('› What is a branch?');
    terminal.type(`${terminalKeys.control('u')}/label start${terminalKeys.enter}`);
    await terminal.shows('Undo with /undo');
    terminal.type(`/undo${terminalKeys.enter}`);
    await terminal.shows('/redo');
    terminal.type(`/compact${terminalKeys.enter}`);
    await terminal.shows(/nothing|summary/i);
    terminal.type(terminalKeys.control('t'));
    await terminal.shows('type to search');
    terminal.type('how do');
    await terminal.shows('search: how do');
    terminal.type(terminalKeys.enter);
    await terminal.shows(/Moved to/);
    terminal.type(`${terminalKeys.control('u')}half a thought${terminalKeys.control('t')}`);
    await terminal.shows('type to search');
    // Both matches are beyond the visible part: one line shows its title, the other line its first words.
    terminal.type('anthropic_api_key');
    await terminal.shows('2 shown · search: anthropic_api_key');
    terminal.type(terminalKeys.escape);
    await terminal.shows('type to search');
    terminal.type(terminalKeys.enter);
    await terminal.hides('type to search');
    // The draft is kept while a panel is open.
    await terminal.shows('› half a thought');
    terminal.type(`${terminalKeys.control('u')}/branches${terminalKeys.enter}`);
    await terminal.shows('↑↓ scroll');
    terminal.type(terminalKeys.escape);
    await terminal.hides('↑↓ scroll');
    terminal.type(`/quit${terminalKeys.enter}`);
    expect(await terminal.ended()).toBe(0);
  });

  it('[O31] keeps every line of a paste, text typed during a reply, and the state of the terminal', async () => {
    const slow = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 200\n[ollama]\ndetect = false\n');
    try {
      terminal = startCliInTerminal(['chat', '--full-screen'], slow.home);
      await terminal.shows('New chat');
      // Longer than any chunk that a terminal delivers.
      const middle = Array.from({ length: 3000 }, (_, at) => `and a line with the number ${at}`).join('\r');
      terminal.type(`\u001b[200~first\r${middle}\rlast\u001b[201~`);
      await terminal.shows(/number 2999\n\s*last/);
      terminal.type(terminalKeys.enter);
      await terminal.shows(/last\s+babble\s+\w[\s\S]*▌/);
      terminal.type('meanwhile');
      await terminal.shows('› meanwhile');
      terminal.type(terminalKeys.up);
      await terminal.hides('› meanwhile');
      terminal.type(terminalKeys.down);
      await terminal.shows('› meanwhile');
      // Two different keys, although Ink gives both the same name.
      terminal.type(`${terminalKeys.control('a')}${terminalKeys.delete}`);
      await terminal.shows('› eanwhile');
      terminal.type(`${terminalKeys.control('e')}${terminalKeys.backspace}`);
      await terminal.shows(/› eanwhil\s/);
      // A message that is sent during a reply waits, and returns to the input line when the reply is stopped.
      terminal.type(terminalKeys.enter);
      await terminal.shows('Waiting: eanwhil');
      terminal.type(terminalKeys.control('c'));
      await terminal.shows(/› eanwhil\s/);
      await terminal.hides(/answering…|Waiting:/);
      terminal.type(terminalKeys.control('r'));
      await terminal.shows(/last\s+babble\s+\w[\s\S]*▌/);
      terminal.signal('SIGTERM');
      expect(await terminal.ended()).toBe(130);
      // The alternate screen and bracketed paste are turned off.
      expect(terminal.written()).toContain('\u001b[?2004l\u001b[?1049l');
      const fixture = makeCliFixture({ home: slow.home });
      const { nodes } = await fixture.json(['show', 'last']);
      expect(nodes).toMatchObject([{ text: `first\n${middle.replaceAll('\r', '\n')}\nlast` }, { status: 'aborted' }]);
      fixture.close();
    } finally {
      slow.close();
    }
  });

  it('[O76] [O94] sends text typed during a reply next, runs /help at once, and Esc stops and goes back', {
    tags: ['full'],
    timeout: 120_000,
  }, async () => {
    const slow = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 200\n[ollama]\ndetect = false\n');
    const quick = makeHome();
    try {
      terminal = startCliInTerminal(['chat', '--full-screen'], slow.home, { columns: 80, rows: 24 });
      await terminal.shows('New chat');
      terminal.type(`Tell me more${terminalKeys.enter}`);
      await terminal.shows(/^babble\s+\w[\s\S]*▌/m);
      terminal.type(`Second${terminalKeys.enter}`);
      await terminal.shows('Waiting: Second');
      terminal.type(`/help${terminalKeys.enter}`);
      await terminal.shows('/help · ↑↓ scroll');
      expect(terminal.screen()).toContain('answering…');
      terminal.type(terminalKeys.escape);
      await terminal.shows('Waiting: Second');
      // Esc stops the reply, and the messages that waited for it return to the input line.
      terminal.type(terminalKeys.escape);
      await terminal.shows('› Second');
      await terminal.hides('answering…');
      terminal.type(terminalKeys.control('u'));
      await terminal.hides('Second');
      terminal.type(terminalKeys.escape);
      await terminal.shows('Press Esc again to edit your last message.');
      terminal.type(terminalKeys.escape);
      await terminal.shows('› Tell me more');
      terminal.kill();
      terminal = startCliInTerminal(['chat', '--full-screen', 'What is a branch?'], quick.home, {
        columns: 200,
        rows: 60,
      });
      terminal.type(`How do I connect a model?${terminalKeys.enter}`);
      await terminal.shows('4 messages');
      await terminal.hides('Waiting:');
    } finally {
      slow.close();
      quick.close();
    }
  });

  it('[O95] [O96] [O97] [O98] finds a past chat, chooses commands from a menu, remembers input, and leaves the text on screen', {
    tags: ['full'],
    timeout: 120_000,
  }, async () => {
    const own = makeHome();
    try {
      const past = makeCliFixture({ home: own.home });
      await past.run(['append', '--new', 'A talk about elms']);
      await past.run(['rename', 'last', 'Elms']);
      await past.createChat('Oaks live long', 'They do');
      await past.run(['rename', 'last', 'Oaks']);
      past.close();
      terminal = startCliInTerminal(['chat', '--full-screen', '--resume'], own.home, { columns: 80, rows: 24 });
      // The preview of the chat under the cursor.
      await terminal.shows(/2 chats · type to search[\s\S]*▶ .*Oaks\n[\s\S]*Elms[\s\S]*You: They do/);
      terminal.type('about el');
      await terminal.shows(/1 chat · search: about el[\s\S]*▶ .*Elms[\s\S]*You: A talk about elms/);
      terminal.type(terminalKeys.enter);
      await terminal.shows(/❧ Elms[\s\S]*A talk about elms/);
      terminal.type('/co');
      await terminal.shows(/▶ \/compact +\S[\s\S]*\/copy +Copies the last reply[\s\S]*› \/co/);
      terminal.type(terminalKeys.down);
      await terminal.shows(/▶ \/context/);
      terminal.type(terminalKeys.down);
      await terminal.shows(/▶ \/continue/);
      terminal.type(terminalKeys.up);
      await terminal.shows(/▶ \/context/);
      terminal.type(terminalKeys.escape);
      await terminal.hides('▶');
      terminal.type(`s${terminalKeys.enter}`);
      await terminal.shows('› /cost');
      await terminal.hides('▶');
      terminal.type(terminalKeys.enter);
      await terminal.shows('No reply on this branch yet.');
      terminal.type(`/new${terminalKeys.enter}`);
      await terminal.shows('❧ New chat');
      terminal.type(`What is a branch?${terminalKeys.enter}`);
      await terminal.shows('2 messages');
      terminal.type(`/copy${terminalKeys.enter}`);
      await terminal.shows('Copied the last reply');
      expect(terminal.written()).toContain('\u001b]52;c;');
      terminal.type(`/export branch.md${terminalKeys.enter}`);
      await terminal.shows('branch.md.');
      expect(readFileSync(`${own.home}/branch.md`, 'utf8')).toContain('What is a branch?');
      terminal.type(`/quit${terminalKeys.enter}`);
      expect(await terminal.ended()).toBe(0);
      // After the chat is left, its messages are on the screen, and nothing of the chat before.
      expect(terminal.screen()).toMatch(/Continue with coppice chat -t/);
      const after = terminal.written().split('\u001b[?1049l').at(-1) ?? '';
      expect(after).toMatch(/What is a branch\?[\s\S]*Continue with/);
      expect(after).not.toContain('elms');
      if (process.platform !== 'win32') expect(statSync(`${own.home}/.coppice/history.jsonl`).mode & 0o777).toBe(0o600);
      // In the next chat the arrow key recalls the texts that were typed before.
      terminal = startCliInTerminal(['chat', '--full-screen'], own.home, { columns: 20, rows: 8 });
      await terminal.shows('›');
      terminal.type(terminalKeys.up);
      await terminal.shows('› /quit');
      terminal.type(terminalKeys.escape);
      terminal.type(`${terminalKeys.control('u')}/resume${terminalKeys.enter}`);
      await terminal.shows(/▶ \S/);
      terminal.type(terminalKeys.escape);
      await terminal.shows('›');
    } finally {
      own.close();
    }
  });

  it('[O101] [O102] [O100] completes and attaches a file, and adds the output of a command after a question', {
    tags: ['full'],
    timeout: 120_000,
  }, async () => {
    const own = makeHome();
    try {
      mkdirSync(`${own.home}/notes`);
      writeFileSync(`${own.home}/notes/oaks.txt`, 'Oaks are old.');
      terminal = startCliInTerminal(['chat', '--full-screen'], own.home, { columns: 80, rows: 24 });
      await terminal.shows(/New chat[\s\S]*›[\s\S]*offline\/guide/);
      terminal.type('What is in @no');
      await terminal.shows(/▶ notes\//);
      terminal.type(terminalKeys.tab);
      await terminal.shows(/▶ notes\/oaks\.txt[\s\S]*› What is in @notes\//);
      terminal.type(terminalKeys.enter);
      await terminal.shows('› What is in @notes/oaks.txt');
      await terminal.hides('▶');
      terminal.type(terminalKeys.enter);
      await terminal.shows(/2 messages[\s\S]*What is in @notes\/oaks\.txt\n\[file/);
      terminal.type(`!echo one && echo two${terminalKeys.enter}`);
      await terminal.shows('y / n / a (always in this chat)');
      terminal.type('n');
      await terminal.shows(/was not run\.[\s\S]*› !echo one/);
      terminal.type(terminalKeys.enter);
      await terminal.shows('y / n / a');
      terminal.type('a');
      await terminal.shows(/3 messages[\s\S]*│ one[\s\S]*│ two/);
      terminal.type(`!exit 3${terminalKeys.enter}`);
      await terminal.shows(/4 messages[\s\S]*exit code 3/);
      terminal.type(terminalKeys.control('d'));
      expect(await terminal.ended()).toBe(0);
      const fixture = makeCliFixture({ home: own.home });
      const { nodes } = await fixture.json(['show', 'last']);
      fixture.close();
      const file = { type: 'file', name: 'oaks.txt', source: { type: 'text', text: 'Oaks are old.' } };
      expect(nodes).toMatchObject([{ message: { content: [{ type: 'text' }, file] } }, {}, {}, {}]);
    } finally {
      own.close();
    }
  });

  it('[O38] commands in a session create files beside it', async () => {
    const folder = mkdtempSync(`${home.home}/sessions-`);
    const path = `${folder}/first.jsonl`;
    const files = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl')).length;
    // The first chat creates the file; a later one continues it in the same way.
    terminal = startCliInTerminal(['chat', '--full-screen', '--store', `jsonl:${path}`], home.home);
    await terminal.shows('›');
    terminal.type(`Hello${terminalKeys.enter}`);
    await terminal.shows('2 messages');
    terminal.type(`/clone${terminalKeys.enter}`);
    await terminal.shows(/is\s+unchanged/);
    expect(files()).toBe(2);
    terminal.type(`/quit${terminalKeys.enter}`);
    expect(await terminal.ended()).toBe(0);
    terminal = startCliInTerminal(['chat', '--full-screen', '--store', `jsonl:${path}`], home.home);
    await terminal.shows('2 messages');
    terminal.type(`/fork${terminalKeys.enter}`);
    await terminal.shows(/is\s+unchanged/);
    expect(files()).toBe(3);
    terminal.type(`/export-branch @here${terminalKeys.enter}`);
    await terminal.shows('.jsonl');
    expect(files()).toBe(4);
    terminal.type(`/quit${terminalKeys.enter}`);
    expect(await terminal.ended()).toBe(0);
    expect(readFileSync(path, 'utf8')).not.toContain('fork');
  });

  it('[O33] continues an earlier chat, even on a narrow terminal', async () => {
    // Slow enough to be stopped in the middle on any machine.
    const config = `${home.home}/.coppice/config.toml`;
    writeFileSync(config, readFileSync(config, 'utf8').replace('delay_ms = 0', 'delay_ms = 200'));
    terminal = startCliInTerminal(['chat', '--full-screen', '--resume'], home.home, { columns: 34, rows: 16 });
    await terminal.shows(/type to search[\s\S]*How do I connect/);
    terminal.type(terminalKeys.enter);
    await terminal.shows(/❧ How do[\s\S]*›/);
    // Wide characters take two columns each, and none is cut in two.
    terminal.type(`${'漢字'.repeat(8)}👩‍👩‍👧👩‍👩‍👧`);
    await terminal.shows(`› ${'漢字'.repeat(7)}漢\n  字👩‍👩‍👧👩‍👩‍👧`);
    terminal.type(terminalKeys.control('c'));
    await terminal.hides('漢字');
    terminal.type(terminalKeys.control('o'));
    await terminal.shows('type to search');
    terminal.type('babble');
    await terminal.shows('search: babble');
    terminal.type(terminalKeys.enter);
    await terminal.shows('Using offline/babble');
    terminal.resize(60, 20);
    terminal.type(`Tell me more${terminalKeys.enter}`);
    // Before the first text there is no reply to keep.
    await terminal.shows(/Tell me more\s+babble\s+\w[\s\S]*▌/);
    terminal.type(terminalKeys.control('c'));
    await terminal.hides('answering…');
    await terminal.shows('aborted');
    terminal.type(`${terminalKeys.control('c')}${terminalKeys.control('c')}`);
    expect(await terminal.ended()).toBe(0);
  });

  it('[O192] lines that are read stay where they are while a reply below them grows', { tags: ['full'] }, async () => {
    const question = /You\nTell me about the sea\n/;
    const slow = makeHome('model = "offline/babble"\n[offline]\ndelay_ms = 60\n[ollama]\ndetect = false\n');
    try {
      terminal = startCliInTerminal(['chat', '--full-screen'], slow.home, { columns: 60, rows: 12 });
      await terminal.shows('›');
      terminal.type(`Tell me about the sea${terminalKeys.enter}`);
      // The reply has grown over the whole screen.
      await terminal.shows(/\nbabble\n\S+ \S+ \S+ [\s\S]*▌/);
      await terminal.hides('You');
      terminal.type(terminalKeys.pageUp.repeat(20));
      await terminal.shows(question);
      await terminal.shows('answering…');
      expect(await terminal.hides('answering…')).toMatch(question);
      terminal.type(terminalKeys.pageDown.repeat(20));
      await terminal.hides(question);
      terminal.type(terminalKeys.control('c').repeat(2));
      expect(await terminal.ended()).toBe(0);
    } finally {
      slow.close();
    }
  });
});
