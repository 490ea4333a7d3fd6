import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeProvider, openFakeProvider, openRawServer } from '@coppice/engine/testing';
import { openTestServer, type TestServer } from '@coppice/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subcommands } from '../subcommands/all.ts';
import { type CliFixture, type CliResult, makeCliFixture } from '../testing/index.ts';

/** Replaces ids and times by their order, so that two runs can be compared. */
function normalised({ code, out, err }: CliResult): CliResult {
  const seen = new Map<string, string>();
  const name = (kind: string, text: string) => {
    const known = seen.get(text) ?? `${kind}${seen.size}`;
    seen.set(text, known);
    return known;
  };
  const plain = (text: string) =>
    text
      .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, (id) => name('id', id.slice(-8)))
      .replace(/\b[0-9a-f]{8}\b/g, (id) => name('id', id))
      .replace(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}/g, 'time')
      .replace(/\b1[78]\d{11}\b/g, 'time');
  return { code, out: plain(out), err: plain(err) };
}

describe('commands on a server', () => {
  let server: TestServer;
  let there: CliFixture;
  let here: CliFixture;
  let service: FakeProvider;
  beforeAll(async () => {
    const spawn = { id: 't1', name: 'Agent', parameters: { prompt: 'Find it.', description: 'Find the oak' } };
    service = await openFakeProvider([{ text: 'Sending.', calls: [spawn] }, { text: 'Found.' }]);
    const config = `model = "offline/guide"\n[offline]\ndelay_ms = 0\n[proxy]\nanthropic = "${service.url}"\n`;
    server = await openTestServer({ store: 'sqlite', config });
    const { url } = await server.listen();
    there = makeCliFixture({ env: { COPPICE_SERVER: url, COPPICE_TOKEN: server.token } });
    here = makeCliFixture();
  });
  afterAll(async () => {
    there.close();
    here.close();
    await server.close();
    await service.close();
  });

  it('[O107] print the same as on a local store, errors and exit codes too', async () => {
    const lines = [
      ['ls'],
      ['show', 'last'],
      ['append', '--new', 'Oaks?'],
      ['append', 'last', 'They live long.'],
      ['append', 'last', 'And elms?', '--parent', '@~1'],
      ['rename', 'last', 'Trees'],
      ['tag', 'Trees', 'wood'],
      ['pin', 'Trees'],
      ['ls'],
      ['show', 'Trees'],
      ['tree', 'Trees'],
      ['bookmark', 'Trees', '@', 'elms'],
      ['switch', 'Trees', 'elms'],
      ['edit', 'Trees', '@', 'And ashes?'],
      ['branch', 'Trees', 'elms', '--summary', 'Elms are enough.'],
      ['undo', 'Trees'],
      ['branch', 'Trees', 'root'],
      ['switch', 'Trees', 'elms'],
      ['log', 'Trees'],
      ['diff', 'Trees', 'elms', '@'],
      ['search', 'long'],
      ['split', 'Trees', '@', '3'],
      ['undo'],
      ['redo'],
      ['undo', 'Trees'],
      ['rm', 'Trees', 'elms'],
      ['trash', 'Trees'],
      ['restore', 'Trees', 'nothing-here'],
      ['move', 'Trees', '@', 'root'],
      ['append', '--new', 'Another'],
      ['cherry-pick', 'last', 'elms', '--from', 'Trees'],
      ['merge', 'Trees', 'elms', '--summary', 'Short.'],
      ['rm', 'Trees'],
      ['undo'],
      ['new', 'Empty'],
      ['rm', 'Empty'],
      ['trash'],
      ['trash', '--purge'],
      ['move', 'last', '@', 'root', '--to', 'Trees'],
      ['undo'],
      ['export', 'Trees', '--format', 'markdown'],
      ['export', 'last', '--format', 'coppice'],
      ['join', 'Trees', '@'],
      ['show', 'No such chat'],
    ];
    // Every subcommand that works on a server is in this list or in a test below.
    const below = ['agents', 'chat', 'completion', 'import', 'models', 'open', 'regenerate', 'share'];
    const tried = new Set([...lines.map(([name]) => name), ...below]);
    const working = subcommands.filter(({ worksOn = 'any' }) => worksOn === 'any').map(({ name }) => name);
    expect(working.filter((name) => !tried.has(name))).toEqual([]);
    for (const line of lines) {
      const [local, remote] = [await here.run(line), await there.run(line)];
      // A local store reads its own configuration; all other output is the same.
      expect({ line, ...normalised(remote) }).toEqual({ line, ...normalised(local) });
    }
  });

  it('[O107] a chat gets its reply from the models of the server', async () => {
    const said = await there.run(['chat', '-p', '-m', 'offline/guide', 'How do I connect a model?']);
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('language model');
    expect(await there.json(['show', 'last'])).toMatchObject({
      nodes: [{ role: 'user' }, { role: 'assistant', status: 'success' }],
    });
    expect((await there.run(['regenerate', 'last'])).code).toBe(0);
    expect((await there.run(['chat', '-p', '-t', 'last', '/branches'])).out).toContain('There are 2 branches');
    expect(await there.run(['chat', '-p', '-m', 'nobody/none', 'Hello'])).toMatchObject({ code: 3 });
    expect((await there.run(['models'])).out).toContain('offline/guide');
    expect((await there.run(['share', 'last'])).out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\//);
    expect((await there.run(['share', 'last', '--list'])).out).toContain('2 messages');
    expect((await there.run(['open', 'last', '--no-browser'])).out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/t\//);
    // The local store has received nothing.
    expect(await here.json(['search', 'connect a model'])).toMatchObject({ items: [] });
  });

  it('[O107] import sends files and standard input, with the report of a local import', async () => {
    const file = join(there.home, 'chats.coppice');
    const other = makeCliFixture();
    await other.createChat('Which oak?', 'The old one.');
    expect(await other.run(['export', '--all', '-o', file])).toMatchObject({ code: 0 });
    other.close();
    for (const line of [
      ['import', file, '--dry-run'],
      ['import', file],
      ['import', file],
      ['import', file, '--strict', '--json'],
      ['import', join(there.home, 'nothing.json')],
    ])
      expect(normalised(await there.run(line)), line.join(' ')).toEqual(normalised(await here.run(line)));
    expect((await there.run(['search', 'old', 'one'])).out).toContain('The old one.');
    const text = '{"title": "Elms", "messages": [{"role": "user", "content": "Elm?"}]}';
    expect(normalised(await there.run(['import', '-'], text))).toEqual(
      normalised(await here.run(['import', '-'], text)),
    );
    expect(normalised(await there.run(['import', '-'], 'nothing'))).toEqual(
      normalised(await here.run(['import', '-'], 'nothing')),
    );
    writeFileSync(join(there.home, 'more.json'), text);
    expect(await there.run(['import', there.home])).toMatchObject({ code: 5, err: expect.stringContaining('zip') });
  });

  it('[O107] agents lists what the server recorded, sub-agents below their session', async () => {
    expect(await there.run(['agents'])).toEqual(await here.run(['agents']));
    const { url } = await server.listen();
    const call = async (words: string, more: Readonly<Record<string, string>>) => {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': server.token,
        'anthropic-version': '2023-06-01',
        'user-agent': 'claude-cli/2.1',
        'x-claude-code-session-id': 's1',
        ...more,
      };
      const tools = [{ name: 'Agent', input_schema: {} }];
      const body = JSON.stringify({
        model: 'm-x',
        max_tokens: 9,
        stream: true,
        tools,
        messages: [{ role: 'user', content: words }],
      });
      await (await fetch(`${url}/v1/messages`, { method: 'POST', headers, body })).text();
    };
    await call('Name the oak', {});
    await call('Find it.', { 'x-claude-code-agent-id': 'a' });
    await expect
      .poll(async () => (await there.json(['agents']))['sessions'])
      .toEqual([
        expect.objectContaining({ kind: 'session', children: [expect.objectContaining({ kind: 'sub-agent' })] }),
      ]);
    expect((await there.run(['agents', '--by', 'program'])).out).toMatch(/Claude Code[\s\S]*\n {4}\S+ {2}sub-agent: /);
    expect(await there.json(['agents', '--seen'])).toMatchObject({ failed: [], acknowledged: 0 });
  });

  it('[O107] an error that only the server has ends with the exit code of its kind', async () => {
    let problem = { status: 429, kind: 'unavailable' };
    const busy = await openRawServer((_request, response) => {
      response.writeHead(problem.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'some/code', kind: problem.kind, message: 'Not now.', data: {} } }));
    });
    const asking = makeCliFixture({ env: { COPPICE_SERVER: busy.url, COPPICE_TOKEN: server.token } });
    expect(await asking.run(['ls'])).toMatchObject({ code: 6, err: expect.stringContaining('Not now.') });
    problem = { status: 413, kind: 'invalid' };
    expect(await asking.run(['ls'])).toMatchObject({ code: 2 });
    asking.close();
    await busy.close();
  });

  it('[O107] commands that need the store itself, a wrong token and a missing server report what to do', async () => {
    const refused: readonly (readonly [readonly string[], string])[] = [
      [['fsck'], 'It reads the files of the store. Run it on the computer of the server'],
      [['backup', 'x.db'], 'coppice export --all'],
      [['backfill'], 'computer of the server'],
      [['buckets'], '--store postgres://'],
      [['attachments'], '--store postgres://'],
      [['regroup', 'shop'], 'computer of the server'],
      [['mcp'], '/mcp'],
      [['proxy', '--', 'true'], '/v1'],
      [['import', '--found', '--yes'], 'Name the files'],
      [['keys', '--server', 'http://127.0.0.1:1'], 'Settings, Models on http://127.0.0.1:1'],
      [['config', 'path', '--server', 'http://127.0.0.1:1/'], 'Settings on http://127.0.0.1:1.'],
      [['docs', '--server', 'http://127.0.0.1:1'], 'Leave out --server'],
    ];
    for (const [line, instead] of refused)
      expect(await there.run(line)).toMatchObject({ code: 5, err: expect.stringContaining(instead) });
    const env = { COPPICE_TOKEN: 'wrong' };
    const stranger = makeCliFixture({ env });
    const { url } = await server.listen();
    expect(await stranger.run(['ls', '--server', url])).toMatchObject({
      code: 5,
      err: expect.stringContaining('COPPICE_TOKEN'),
    });
    expect(await stranger.run(['ls', '--server', 'http://127.0.0.1:9'])).toMatchObject({
      code: 6,
      // The reason, not only that the request failed.
      err: expect.stringContaining('cannot be reached: bad port'),
    });
    expect(await stranger.run(['ls', '--server', 'http://me:secret@127.0.0.1:9'])).toMatchObject({ code: 2 });
    expect(await stranger.run(['ls', '--server', url, '--store', 'memory:'])).toMatchObject({ code: 2 });
    stranger.close();
  });
});
