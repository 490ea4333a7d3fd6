import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type ErrorKind } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { subcommands } from './subcommands/all.ts';
import { defineSubcommand } from './subcommands/contract.ts';
import { type CliFixture, makeCliFixture } from './testing/index.ts';

describe('a command line', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O4] help lists every subcommand under its heading, and each has its own help with examples', async () => {
    const { code, out } = await fixture.run(['--help']);
    expect(code).toBe(0);
    for (const member of subcommands) {
      expect(out).toContain(member.summary);
      const help = await fixture.run([member.name, '--help']);
      expect(help.code).toBe(0);
      for (const example of member.examples) expect(help.out).toContain(example);
    }
  });

  it('[O4] help calls things chat and message, and the list has one line for each subcommand', async () => {
    const { out } = await fixture.run(['--help']);
    for (const { name, summary } of subcommands) expect(out).toContain(`  ${name.padEnd(14)}  ${summary}\n`);
    for (const { name } of subcommands) {
      const help = (await fixture.run([name, '--help'])).out.replaceAll(/conversations\.zip|node agent\.mjs/g, '');
      expect(help).not.toMatch(/\bconversations?\b|\bnodes?\b/i);
    }
  });

  it('[O196] a command is found after the global options, and a mistyped one is compared with all', async () => {
    for (const before of [
      ['--owner', 'show', '--json'],
      ['--owner=show', '--no-color', '--json'],
    ])
      expect(JSON.parse((await fixture.run([...before, 'ls'])).out)).toMatchObject({ items: [] });
    const mistyped = await fixture.run(['--owner', 'ls', 'shwo']);
    expect(mistyped.err).toContain('did you mean show?');
    expect((await fixture.run(['--owner', 'ls', '--help'])).out).toContain('regenerate');
  });

  it('[O4] help of an unknown command suggests the nearest one', async () => {
    expect((await fixture.run(['help', 'tree'])).out).toContain('coppice tree last');
    expect(await fixture.run(['help', 'tre'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean tree?'),
    });
    expect((await fixture.run(['help'])).out).toContain('Usage: coppice');
  });

  it('[O75] a suggested command names the same store and owner, and nothing that is already gone', async () => {
    const store = `files:${fixture.home}/my trees`;
    const { tree } = await fixture.createChat('Elsewhere');
    const { out } = await fixture.run(['append', '--new', 'Oak', '--store', store, '--owner', 'ann']);
    const [, line = ''] = /Undo with coppice (.*)\.\n$/.exec(out) ?? [];
    expect(line).toMatch(new RegExp(`^undo --store '${store}' --owner ann [0-9a-f]{8}$`));
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const found = await fixture.run(['search', 'oak', '--store', store, '--owner', 'ann']);
    expect(found.out).toContain(`coppice show --store '${store}' --owner ann `);
    expect(await fixture.run(words)).toMatchObject({ code: 0, out: expect.stringContaining('coppice redo --store') });
    expect((await fixture.run(['append', tree, 'more'])).out).toContain(`Undo with coppice undo ${tree.slice(-8)}.`);
    expect((await fixture.run(['append', '--new', 'Oak', '--store', 'memory:'])).out).not.toContain('Take it back');
  });

  it('[O75] a command suggested by a refusal names the same store and owner', async () => {
    const store = `files:${fixture.home}/wood`;
    const on = ['--store', store];
    const refusal = async (...words: string[]) => (await fixture.run([...words, ...on])).err;
    await fixture.run(['append', '--new', 'Oak', ...on]);
    expect(await refusal('show', 'elm')).toBe(`No chat matches "elm". List them with coppice ls --store ${store}.\n`);
    expect(await refusal('show', 'last', 'elm')).toContain(` coppice tree --store ${store} `);
    expect(await refusal('restore', 'last')).toContain(` coppice trash --store ${store} <chat>.`);
    expect((await fixture.run(['show', 'last'])).err).toBe(
      'No chat matches "last": there are no chats yet. Start one with coppice chat.\n',
    );
    await fixture.run(['rm', 'last', ...on]);
    expect(await refusal('show')).toBe(
      `No chat matches "last": every chat is in the trash. List them with coppice trash --store ${store}.\n`,
    );
    expect((await fixture.run(['show', 'elm', '--store', 'memory:'])).err).toBe('No chat matches "elm".\n');
  });

  it('[O5] a text from an interrupted pipe is not stored', async () => {
    const stop = new AbortController();
    const stdin = (async function* () {
      yield 'half of a ';
      stop.abort(new DOMException('Stopped.', 'AbortError'));
      // The same key stops the writer of the pipe, so the pipe ends here.
    })();
    const stopped = makeCliFixture({ stdin, signal: stop.signal, home: fixture.home });
    expect(await stopped.run(['append', '--new'])).toMatchObject({ code: 130, err: 'Stopped.\n' });
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
    stopped.close();
  });

  it('[O5] a stopped command does not wait for the end of a pipe', async () => {
    for (const words of [
      ['append', '--new'],
      ['import', '-'],
    ]) {
      const stop = new AbortController();
      const stdin = (async function* () {
        yield 'half of a ';
        setTimeout(() => stop.abort(new DOMException('Stopped.', 'AbortError')));
        await new Promise(() => undefined);
      })();
      const stuck = makeCliFixture({ stdin, signal: stop.signal, home: fixture.home });
      expect(await stuck.run(words)).toMatchObject({ code: 130, err: 'Stopped.\n' });
      stuck.close();
    }
  });

  it('[O4] every example is a valid command', () => {
    for (const member of subcommands) {
      expect(member.examples.length).toBeGreaterThan(0);
      for (const example of member.examples) expect(example).toMatch(new RegExp(`coppice ${member.name}|coppice$`));
    }
  });

  it('[O74] an option that begins with no- is passed to its command', async () => {
    const reported: boolean[] = [];
    const member = defineSubcommand({
      name: 'flags',
      summary: 'says what it was given',
      group: 'Manage',
      options: [
        { name: 'no-tools', summary: 'without tools' },
        { name: 'tools-too', summary: 'with tools' },
      ],
      examples: ['coppice flags'],
      async run(given) {
        reported.push(given.flag('no-tools'), given.flag('tools-too'));
        return null;
      },
    });
    const line = makeCliFixture({ members: [member] });
    await line.run(['flags']);
    await line.run(['flags', '--no-tools']);
    line.close();
    expect(reported).toEqual([false, false, true, false]);
  });

  it('[O2] an error is one line of JSON with --json, and a sentence without', async () => {
    const id = '01890c2e-0000-7000-8000-000000000009';
    const { code, out, err } = await fixture.run(['show', id, '--json']);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'tree/unknown-tree', kind: 'not-found' } });
    expect((await fixture.run(['show', id])).err).toBe(`There is no chat ${id}.\n`);
  });

  it('[O5] an unknown command is refused with a suggestion', async () => {
    const wrong = await fixture.run(['serch', 'x']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('search');
    expect(wrong.err).toContain('See coppice --help.');
    expect(await fixture.run(['ls', '--nope'])).toMatchObject({ code: 2 });
    expect((await fixture.run(['import'])).err).toContain('See coppice import --help.');
    expect(await fixture.run(['ls', '--limit', 'many'])).toMatchObject({ code: 2 });
    expect(JSON.parse((await fixture.run(['diff', '--json'])).err)).toMatchObject({ error: { code: 'cli/usage' } });
  });

  it('[O5] a number that is too small, and a value that an option does not list, are refused by the name of the option', async () => {
    await fixture.createChat('One');
    const number = (name: string, value: string) => ({
      code: 2,
      err: `Invalid value for --${name}: ${value}. Use a whole number from 1.\n`,
    });
    expect(await fixture.run(['ls', '-n', '0'])).toMatchObject(number('limit', '0'));
    expect(await fixture.run(['log', 'last', '--before', 'x'])).toMatchObject(number('before', 'x'));
    expect(await fixture.run(['backfill', '--batch', '0'])).toMatchObject(number('batch', '0'));
    expect(await fixture.run(['agents', '--by', 'day'])).toMatchObject({
      code: 2,
      err: 'Unknown value for --by: day. Use one of project, program.\n',
    });
    expect((await fixture.run(['agents', '--by', 'program'])).code).toBe(0);
  });

  it('[O2] a key that is not stored is an error on standard error, also as JSON', async () => {
    const { code, out, err } = await fixture.run(['keys', 'remove', 'nope', '--json']);
    expect([code, out]).toEqual([3, '']);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'cli/no-key', kind: 'not-found' } });
  });

  it('[O5] the error of a mistake says what happened and what to do next', async () => {
    await fixture.createChat('One');
    const missing = join(fixture.home, 'missing');
    const errors: readonly (readonly [words: readonly string[], ...parts: string[]])[] = [
      [['keys', 'wat'], 'Unknown action wat.', 'Use one of list, set, remove, rotate.'],
      [['models', 'no-such-model'], 'No model matches.', 'coppice models --all'],
      [['keys', 'remove', 'nope'], 'There is no stored key for nope.', 'coppice keys'],
      [['config', 'set', 'nokey', '3'], 'nokey is not known', 'Nothing was changed.', 'coppice docs settings'],
      [['merge', 'last', '@'], 'is already on the active branch.', 'Name a message of another branch.'],
      [['export', 'last', '-f', 'markdown', '-o', join(missing, 'x.md')], 'its folder does not exist'],
      [['ls', '--cursor', 'xx'], '"xx" is not a cursor', 'Leave the cursor out'],
      [['chat', '-p', '-m', 'nope/x', 'hi'], 'names no known provider.', 'Name a model as provider/model'],
      [['ls', '--store', 'postgres://nobody@127.0.0.1:1/x'], 'cannot be reached', 'Check its URL'],
    ];
    for (const [words, ...parts] of errors) {
      const { out, err } = await fixture.run(words);
      for (const part of parts) expect(`${out}${err}`, words.join(' ')).toContain(part);
      expect(`${out}${err}`, words.join(' ')).not.toMatch(/ENOENT|undefined|\[object/);
    }
    const configured = makeCliFixture({ home: fixture.home, env: { COPPICE_CONFIG: missing } });
    expect((await configured.run(['ls'])).err).toBe(
      `COPPICE_CONFIG names ${missing}, but this file does not exist. Create it, or remove the variable.\n`,
    );
  });

  it('[O5] a text that begins with a dash can be passed after --', async () => {
    await fixture.createChat('One');
    expect((await fixture.run(['append', 'last', '-- dash'])).err).toContain('put -- before it');
    expect(await fixture.run(['append', 'last', '--', '--json'])).toMatchObject({ code: 0, err: '' });
    expect((await fixture.run(['append', 'nothing', '--', '--json'])).err).toContain('No chat matches "nothing".');
    expect((await fixture.run(['shwo'])).err).toContain(
      "Unknown command 'shwo'; did you mean show? See coppice --help.",
    );
    expect(await fixture.run(['show', 'last', '--limit', '0'])).toMatchObject({ code: 2, out: '' });
  });

  it('[O190] deprecated commands and options work, are not in the help, and say what to use instead', async () => {
    const since = '0.2.0';
    const member = defineSubcommand({
      name: 'former',
      summary: 'says what it was given',
      group: 'Manage',
      options: [
        { name: 'old', value: 'text', summary: 'the old one', deprecated: { use: '--new', since } },
        { name: 'new', value: 'text', summary: 'the new one' },
      ],
      deprecated: { use: 'coppice current', since },
      examples: ['coppice former'],
      run: async (given) => ({ data: null, lines: [given.optional('old') ?? given.optional('new') ?? 'none'] }),
    });
    const line = makeCliFixture({ members: [member] });
    const sentence = (name: string, use: string) =>
      `${name} is deprecated since version ${since} and will be removed. Use ${use} instead.\n`;
    const command = sentence('coppice former', 'coppice current');
    expect(await line.run(['former', '--new', 'a'])).toMatchObject({ code: 0, out: 'a\n', err: command });
    const both = { code: 0, out: 'b\n', err: `${command}${sentence('--old', '--new')}` };
    expect(await line.run(['former', '--old', 'b'])).toMatchObject(both);
    expect((await line.run(['former', '--help'])).out).not.toContain('--old');
    expect((await line.run(['--help'])).out).not.toContain('former');
    line.close();
  });

  it('[O5] the exit code follows from the kind of the error', async () => {
    for (const [kind, code] of Object.entries(exitCodes)) {
      const fails = defineSubcommand({
        name: 'fails',
        summary: 'fails',
        group: 'Read',
        examples: [],
        run: () => Promise.reject(new AppError({ code: 'x/y', kind: kind as ErrorKind, message: 'No.' })),
      });
      const other = makeCliFixture({ members: [fails] });
      expect(await other.run(['fails'])).toMatchObject({ code });
      other.close();
    }
  });

  it('[O3] colours are used on terminals, and on request', async () => {
    await fixture.createChat('One');
    const escape = '\u001b[';
    expect((await fixture.run(['tree'])).out).not.toContain(escape);
    expect((await fixture.run(['tree', '--color'])).out).toContain(escape);
    const stdout = { isTTY: true, columns: 80, write: (text: string | Uint8Array) => written.push(String(text)) };
    const written: string[] = [];
    for (const [env, colored] of [
      [{}, true],
      [{ NO_COLOR: '1' }, false],
      [{ TERM: 'dumb' }, false],
    ] as const) {
      written.length = 0;
      const terminal = makeCliFixture({ stdout, env, home: fixture.home });
      await terminal.run(['tree']);
      expect(written.join('').includes(escape)).toBe(colored);
      terminal.close();
    }
  });

  it('[O7] a named store that does not exist is reported as missing, and reading creates none', async () => {
    const place = join(fixture.home, 'mistyped');
    for (const store of [`sqlite:${place}.db`, `files:${place}`, `jsonl:${place}`]) {
      const on = ['--store', store];
      const said = expect.stringContaining(`No store exists at ${place}`);
      expect(await fixture.run(['ls', ...on])).toMatchObject({ code: 0, err: said });
      expect(await fixture.run(['show', 'last', ...on])).toMatchObject({ code: 3, err: said });
      for (const line of [['fsck'], ['backup', `${place}.copy`], ['export', '--all', '-f', 'markdown']])
        expect(await fixture.run([...line, ...on])).toMatchObject({ code: 3, out: '', err: said });
      expect(await fixture.run(['doctor', ...on])).toMatchObject({ code: 1, out: said });
      expect(readdirSync(fixture.home).filter((name) => name.startsWith('mistyped'))).toEqual([]);
    }
  });

  it('[O6] the outline gives each node a unique name, even nodes of the same millisecond', async () => {
    const { tree, nodes } = await fixture.createChat('One');
    const [first, second] = ['01890c2e-4a3b-7c00-8000-00000000aaaa', '01890c2e-4a3b-7c00-8000-00000000bbbb'];
    for (const id of [first, second]) await fixture.run(['append', tree, id, '--parent', nodes[0] ?? '', '--id', id]);
    const { out } = await fixture.run(['tree', tree]);
    for (const id of [first, second]) {
      const [, shown = ''] = new RegExp(`${id.slice(0, 9)}.* ([0-9a-f-]+)(?: ← here)?$`, 'm').exec(out) ?? [];
      expect(await fixture.json(['show', tree, shown])).toMatchObject({ nodes: { length: 2 } });
    }
  });

  it('[O1] no text of a message, title or bookmark reaches the terminal as a control sequence', async () => {
    const nasty = '\u001b]52;c;c2VjcmV0\u0007\u009b2J\u202eevil';
    const { tree, nodes } = await fixture.createChat(`one ${nasty}`, `two ${nasty}`);
    await fixture.json(['append', '--new', '--title', nasty, 'x']);
    await fixture.json(['bookmark', tree, nodes[0] ?? '', `mark ${nasty}`]);
    await fixture.json(['edit', tree, '@', `three ${nasty}`]);
    const lines = [
      ['ls'],
      ['show', tree],
      ['tree', tree],
      ['log', tree],
      ['search', 'evil'],
      ['diff', tree, nodes[1] ?? ''],
      ['bookmark', tree],
      ['rm', tree, nodes[0] ?? '', '--dry-run'],
      ['show', `\u001b[2J${nasty}`],
    ];
    for (const line of lines) {
      for (const words of [line, [...line, '--json']]) {
        const { out, err } = await fixture.run(words);
        expect(out + err, words.join(' ')).not.toMatch(/(?![\n\t])[\p{Cc}\u202e]/u);
      }
    }
    expect((await fixture.run(['show', tree, '--raw'])).out).toContain('\u202e');
  });

  it('[O6] a tree is named by the beginning of its id, its title or last; an ambiguous name is refused', async () => {
    const { tree } = await fixture.createChat('One');
    expect(await fixture.json(['show', tree.slice(0, 20)])).toMatchObject({ treeId: tree });
    expect(await fixture.json(['show', tree.slice(0, 20).toUpperCase()])).toMatchObject({ treeId: tree });
    expect(await fixture.json(['show', tree.toUpperCase()])).toMatchObject({ treeId: tree });
    await fixture.json(['append', '--new', '--title', 'Bread', 'x']);
    await fixture.json(['append', '--new', '--title', 'Bread', 'y']);
    expect(await fixture.json(['show', 'last'])).toMatchObject({ nodes: [{ text: 'y' }] });
    expect(await fixture.run(['show', 'Bread'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Use the id instead\.$/m),
    });
    expect(await fixture.run(['show', 'Cheese'])).toMatchObject({ code: 3 });
    expect(await fixture.run(['show', tree.slice(0, 4)])).toMatchObject({ code: 2 });
  });

  it('[O6] a node is named by its position', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    expect(await fixture.json(['show', tree, '@~1'])).toMatchObject({ nodes: [{ id: nodes[0] }, { id: nodes[1] }] });
    expect(await fixture.json(['show', tree, '@~3'])).toMatchObject({ nodes: [] });
    expect(await fixture.run(['show', tree, '@~4'])).toMatchObject({
      code: 3,
      err: expect.stringContaining(
        'There is no message @~4: the first message is @~2, and @~3 is the start before it.',
      ),
    });
    expect(await fixture.json(['show', tree, 'root'])).toMatchObject({ nodes: [] });
    expect(await fixture.json(['show', tree, '@start'])).toMatchObject({ nodes: [] });
    expect(await fixture.json(['show', tree, '@here~2'])).toMatchObject({ nodes: [{ id: nodes[0] }] });
    await fixture.json(['rm', tree, nodes[0] ?? '', '--cascade']);
    expect((await fixture.run(['show', tree, '@~1'])).err).toContain('this branch has no message yet');
  });

  it('[O6] a node is named by either end of its id and by its bookmark, ignoring case, as in slash commands', async () => {
    const { tree, nodes } = await fixture.createChat('One', 'Two', 'Three');
    const [first = ''] = nodes;
    expect(await fixture.json(['show', tree, first.slice(-8).toUpperCase()])).toMatchObject({ nodes: [{ id: first }] });
    await fixture.json(['bookmark', tree, first, 'The Oak']);
    expect(await fixture.json(['show', tree, 'the oak'])).toMatchObject({ nodes: [{ id: first }] });
    expect(await fixture.run(['show', tree, 'The Elm'])).toMatchObject({ code: 3 });
    expect(await fixture.run(['show', tree, first.slice(0, 4)])).toMatchObject({ code: 2 });
  });

  it('[O8] files in the working directory have no effect', async () => {
    const cwd = `${fixture.home}/hostile`;
    mkdirSync(`${cwd}/.coppice`, { recursive: true });
    for (const name of ['config.toml', '.coppice/config.toml', 'coppice.toml', '.env'])
      writeFileSync(`${cwd}/${name}`, 'store = "memory:"\nCOPPICE_STORE=memory:\n');
    const there = makeCliFixture({ cwd, home: fixture.home });
    const { tree } = await there.createChat('One');
    there.close();
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{ text: 'One' }] });
  });
});
