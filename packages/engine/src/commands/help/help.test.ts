import { expect, test } from 'vitest';
import { openCommandFixture } from '../../testing/command-fixture.ts';

test('[E28] lists every command with its summary', async () => {
  const fixture = await openCommandFixture('memory');
  const result = await fixture.run('/help');
  expect(result.text?.split('\n')).toHaveLength(fixture.commands.list.length);
  for (const { name, summary } of fixture.commands.list) {
    expect(result.text).toContain(`/${name} `);
    expect(result.text).toContain(summary);
  }
  expect(result.text).toContain('/undo           Undoes your last change');
  await fixture.close();
});

test('[E28] explains one command, with arguments and examples, and suggests a similar name for an unknown one', async () => {
  const fixture = await openCommandFixture('memory');
  const { text } = await fixture.run('/help /Switch');
  expect(text?.split('\n')).toEqual([
    '/switch <message> [--exact] [--summarize [text…]]',
    '',
    expect.stringContaining('Moves to another message or branch.'),
    '',
    '  <message>    The message to move to.',
    expect.stringMatching(/^ {2}--exact /),
    expect.stringMatching(/^ {2}--summarize /),
    '',
    expect.stringContaining('/switch 2'),
    expect.stringContaining('--summarize what failed'),
  ]);
  await expect(fixture.run('/help swich')).rejects.toMatchObject({
    code: 'command/unknown',
    message: 'There is no command /swich. Did you mean /switch?',
  });
  await fixture.close();
});
