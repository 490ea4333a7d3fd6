import { readdirSync } from 'node:fs';
import { type NodeId, nodeId } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../testing/command-fixture.ts';
import { compileSchema } from '../tools/schema.ts';
import { readArguments } from './arguments.ts';
import { argument, defineCommand } from './define.ts';
import { parseCommand } from './parse.ts';
import { builtInCommands, createCommands } from './registry.ts';

describe('the registry', () => {
  test('[E1] has all expected commands, each complete', () => {
    // Each command has its own folder and one line in members.ts.
    const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(names.length).toBeGreaterThanOrEqual(19);
    expect(builtInCommands.map((command) => command.name)).toEqual(names.sort());
    for (const { name, summary, usage, examples, schema } of builtInCommands) {
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(usage.startsWith(`/${name}`)).toBe(true);
      expect(examples.length).toBeGreaterThan(0);
      expect(schema.type).toBe('object');
    }
  });

  test('[E1] every example is a line that its command accepts', () => {
    for (const command of builtInCommands)
      for (const { line } of command.examples) {
        const { name, words } = parseCommand(line);
        expect(name).toBe(command.name);
        expect(() => readArguments(command, { words })).not.toThrow();
      }
  });

  test('[E4] an unknown command is refused with the most similar name', async () => {
    const fixture = await openCommandFixture('memory');
    await expect(fixture.run('/brances')).rejects.toMatchObject({
      code: 'command/unknown',
      kind: 'not-found',
      message: 'There is no command /brances. Did you mean /branches?',
      data: { meant: 'branches' },
    });
    await expect(fixture.run({ name: '__proto__' })).rejects.toMatchObject({
      message: 'There is no command /__proto__. /help lists what there is.',
    });
    await fixture.close();
  });

  test('[E1] accepts additional commands, which help, completion and running all use', async () => {
    const shout = defineCommand({
      name: 'shout',
      summary: 'Says it loudly.',
      parameters: { text: argument.needed('text', 'What to say.'), times: argument.option('count', 'How often.') },
      examples: [{ line: '/shout hello', about: 'HELLO' }],
      run: async (_scope, { text, times = 1 }) => ({ said: text.toUpperCase().repeat(times), data: null }),
    });
    const fixture = await openCommandFixture('memory', { extra: [shout] });
    expect((await fixture.run('/shout hi --times 2')).said).toBe('HIHI');
    expect((await fixture.run('/help shout')).said).toContain('Says it loudly.');
    expect(createCommands().find('shout')).toBeUndefined();
    await fixture.close();
  });
});

const probe = {
  name: 'probe',
  usage: '/probe <node> [text…]',
  parameters: {
    node: argument.needed('node', 'A node.'),
    text: argument.maybe('text', 'A text.'),
    on: argument.option('node', 'Another node.'),
    focus: argument.option('text', 'A text by name.'),
    summarize: argument.bareOption('A text that may be missing.'),
    count: argument.option('count', 'A number.'),
    kind: argument.choice('A word.', ['one', 'other']),
    loud: argument.flag('A switch.'),
  },
};
const read = (line: string) => readArguments(probe, { words: parseCommand(`/probe ${line}`).words });

describe('arguments', () => {
  test('[E3] are given by position, the last text taking the rest, and by name', () => {
    expect(read('n the  rest of it --loud')).toMatchObject({ node: 'n', text: 'the rest of it', loud: true });
    expect(read('n')).toEqual({
      node: 'n',
      text: undefined,
      on: undefined,
      focus: undefined,
      summarize: undefined,
      count: undefined,
      kind: undefined,
      loud: false,
    });
    expect(read('n --count=3 --kind other --on 4')).toMatchObject({ count: 3, kind: 'other', on: '4' });
  });

  test('[E3] a named text continues up to the next option, other values are one word', () => {
    expect(read('n --focus the old tests --loud')).toMatchObject({ focus: 'the old tests', loud: true });
    expect(read('--focus the tests -- n')).toMatchObject({ focus: 'the tests', node: 'n' });
    expect(read('--on 3 n')).toMatchObject({ on: '3', node: 'n' });
    expect(read('n "--loud" x')).toMatchObject({ text: '--loud x', loud: false });
  });

  test('[E3] an option that needs no value is the empty string without one', () => {
    expect(read('n --summarize')).toMatchObject({ summarize: '' });
    expect(read('n --summarize --loud')).toMatchObject({ summarize: '', loud: true });
    expect(read('n --summarize what failed')).toMatchObject({ summarize: 'what failed' });
  });

  test.each([
    ['', 'needs a message'],
    ['""', 'needs a message'],
    ['n --lound', 'has no option --lound; did you mean --loud?'],
    ['n --node x', 'has no option --node'],
    ['n --toString', 'has no option --toString'],
    ['n --loud=yes', '--loud takes no value'],
    ['n --loud --loud', '--loud is given twice'],
    ['n --on', '--on needs a message'],
    ['n --on --loud', '--on needs a message'],
    ['n --count 0', 'count is a whole number from 1'],
    ['n --count 1.5', 'count is a whole number from 1'],
    ['n --kind anotherr', 'kind is one of one, other'],
    ['n --kind othr', 'did you mean other?'],
  ])('[E4] %j is refused with the reason and the usage', (line, why) => {
    expect(() => read(line)).toThrow(why);
    expect(() => read(line)).toThrow('Usage: /probe');
  });

  test('[E4] more words than a command accepts are refused', () => {
    const bare = { ...probe, parameters: { loud: probe.parameters.loud } };
    expect(() => readArguments(bare, { words: parseCommand('/probe x').words })).toThrow(
      'does not take the argument "x"',
    );
  });

  const command = defineCommand({
    ...probe,
    summary: 'A probe.',
    examples: [],
    run: async (_scope, args) => ({ said: '', data: args }),
  });
  const check = compileSchema('probe', command.schema);

  test.each([
    [{ node: 'n' }, true],
    [{ node: 'n', text: '', loud: true, count: 2, kind: 'one', summarize: '' }, true],
    [{}, false],
    [{ node: '' }, false],
    [{ node: 3 }, false],
    [{ node: 'n', loud: 'yes' }, false],
    [{ node: 'n', count: '2' }, false],
    [{ node: 'n', count: 0 }, false],
    [{ node: 'n', count: 1.5 }, false],
    [{ node: 'n', kind: 'else' }, false],
    [{ node: 'n', more: 1 }, false],
  ])('[E5] a call with %j is accepted if and only if its schema accepts it', (args, fits) => {
    expect(check(args) === undefined).toBe(fits);
    const reading = () => readArguments(command, { args });
    if (fits) expect(reading).not.toThrow();
    else expect(reading).toThrow(expect.objectContaining({ code: 'command/bad-arguments', kind: 'invalid' }));
  });
});

describe.each(commandFixtureStoreKinds)('a node on %s', (kind) => {
  let fixture: CommandFixture;
  let ids: NodeId[];
  beforeEach(async () => {
    fixture = await openCommandFixture(kind);
    ids = await fixture.say(['q1', 'a1', 'q2', 'a2']);
  });
  afterEach(() => fixture.close());

  const found = async (typed: string) => {
    const result = await fixture.run({ name: 'label', args: { on: typed } });
    return typeof result.data === 'object' && result.data !== null && 'nodeId' in result.data
      ? result.data.nodeId
      : null;
  };

  test('[E6] is named by its id, a unique beginning or end of it, or @here', async () => {
    const [, a1 = nodeId(''), , a2] = ids;
    expect(await found(a1)).toBe(a1);
    expect(await found(a1.slice(0, 30))).toBe(a1);
    expect(await found(a1.slice(-8).toUpperCase())).toBe(a1);
    expect(await found(' @here ')).toBe(a2);
    expect(await found('@')).toBe(a2);
    expect(await found('@~2')).toBe(a1);
    await expect(found('@~4')).rejects.toThrow('There is no message before the first one');
  });

  test('[E6] the position before the first message is the farthest that @~ reaches', async () => {
    await expect(found('@~9')).rejects.toMatchObject({
      code: 'command/no-such-node',
      message: 'There is no message @~9: the first message is @~3, and @~4 is the start before it.',
    });
    await expect(fixture.run('/switch @~5')).rejects.toThrow('@~4 is the start before it');
    expect(await fixture.run('/switch @~4')).toMatchObject({ place: { activeNodeId: null } });
  });

  test('[E6] is named by the number of the last list', async () => {
    await fixture.run('/tree --filter all');
    expect(await found('2')).toBe(ids[1]);
    expect(await found('#4')).toBe(ids[3]);
    await expect(found('5')).rejects.toMatchObject({ code: 'command/no-such-node' });
    await fixture.run('/branches');
    expect(await found('1')).toBe(ids[3]);
  });

  test('[E6] is named by its label, ignoring case if only one label matches', async () => {
    await fixture.run(`/label The Oak --on ${ids[0]}`);
    expect(await found('The Oak')).toBe(ids[0]);
    expect(await found('the oak')).toBe(ids[0]);
    await fixture.run(`/label the oak --on ${ids[1]}`);
    expect(await found('the oak')).toBe(ids[1]);
    await expect(found('THE OAK')).rejects.toMatchObject({
      code: 'command/ambiguous',
      data: { ids: [ids[0], ids[1]] },
    });
    await fixture.run(`/label the oak --on ${ids[2]}`);
    await expect(found('the oak')).rejects.toMatchObject({ code: 'command/ambiguous' });
    await expect(found('the oka')).rejects.toThrow('did you mean the bookmark “the oak”?');
  });

  test('[E6] that is unknown, too short or ambiguous is refused, and so is the root', async () => {
    const [first = nodeId('')] = ids;
    await expect(found(first.slice(0, 4))).rejects.toMatchObject({ code: 'command/ambiguous', kind: 'invalid' });
    for (const typed of [first.slice(-3), 'ffffffff', '@start', '__proto__', 'no such'])
      await expect(found(typed)).rejects.toMatchObject({ code: 'command/no-such-node', kind: 'not-found' });
    await expect(found(fixture.rootId)).rejects.toMatchObject({ code: 'command/no-such-node' });
  });
});
