import { builtInCommands } from '@coppice/engine';
import { textEvents } from '@coppice/engine/testing';
import { openTestServer } from '@coppice/server/testing';
import { expect, test } from 'vitest';
import { commandPhrasesDe } from '../src/i18n/command-phrases-de.ts';
import { germanLine, germanSaid } from '../src/i18n/commands-de.ts';
import { argumentNamesDe, germanUsage, ownNamesDe } from '../src/i18n/names-de.ts';

test('[B88] every phrase of a command has a German one, and no other has one', () => {
  const phrases = builtInCommands.flatMap(({ summary, parameters, examples }) => [
    summary,
    ...Object.values(parameters).map(({ about }) => about),
    ...examples.map(({ about }) => about),
  ]);
  const places = ['the current message', 'before the first message'];
  expect(Object.keys(commandPhrasesDe).toSorted()).toEqual([...new Set([...phrases, ...places])].toSorted());
});

test('[B88] what stands for an argument has a German name, as has what comes with the program', async () => {
  const words = builtInCommands.flatMap(({ usage }) => usage.match(/(?<=[<[])[a-z]+(?=…?[>\]])/g) ?? []);
  expect(Object.keys(argumentNamesDe).toSorted()).toEqual([...new Set(words)].toSorted());
  expect(germanUsage('/probe <node> [--to <text…>] [--plain]')).toBe('/probe <Nachricht> [--to <Text…>] [--plain]');
  const server = await openTestServer();
  const tools = (await server.ask('GET', '/api/tools')).body.items;
  const said = tools.map((tool: { readonly description: string }) => tool.description);
  expect(Object.keys(ownNamesDe).toSorted()).toEqual([...said, 'Offline (no language model)'].toSorted());
  await server.close();
});

test('[B88] what commands say and list is German on the German page', async () => {
  const server = await openTestServer({ replies: [textEvents('It was about trees.')] });
  const messages = [
    { role: 'user', content: 'Hi. “All of it.”' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: '' },
  ];
  const made = await server.ask('POST', '/api/trees', { body: { title: 'A tree', messages } });
  const id: string = made.body.treeId;
  let at: string | null | undefined;
  let list: readonly string[] | undefined;
  const said: string[] = [];
  const lines: string[] = [];
  for (const line of [
    ...['/name', '/name Oaks', '/name Oaks', '/undo', '/redo', '/name --remove', '/undo'],
    ...['/label', '/label here', '/label here', '/label there', '/label', '/label --on @here', '/label --remove'],
    ...['/label --remove', '/label --on @here', '/undo', '/model', '/model scripted/one', '/model scripted/one'],
    ...['/context', '/tree --filter all', '/tree @~1', '/branches', '/switch @here', '/switch @~2', '/switch 1'],
    ...['/branch-here', '/cherry-pick @here', '/undo', '/branches', '/cherry-pick 1', '/branches', '/tree --limit 1'],
    ...['/switch @start', '/switch 1 --exact', '/merge 2 --messages', '/undo', '/merge 2', '/pop', '/undo'],
    ...['/help', '/help switch', '/clone', '/fork', '/branch', '/undo', '/undo', '/undo'],
  ]) {
    const { status, body } = await server.ask('POST', `/api/trees/${id}/commands`, {
      body: { line, ...(at === undefined ? {} : { activeNodeId: at }), ...(list === undefined ? {} : { list }) },
    });
    if (status !== 200) {
      expect(body.error.code, line).toMatch(/^(?:command|undo|context|tree)\//);
      continue;
    }
    said.push(body.said);
    lines.push(...(body.text ?? '').split('\n'));
    list = body.list ?? list;
    if (body.place?.treeId === id) at = body.place.activeNodeId;
  }
  expect(said.length).toBeGreaterThan(35);
  expect(said.filter((one) => (germanSaid(one).english ?? '') !== '')).toEqual([]);
  const english = /\b(?:the|and|user|assistant|tool|messages?|more|ago|just now|you are|of its own)\b/;
  const unquoted = (line: string) =>
    line
      .replace(/“.*”/, '')
      .replace(/^\/.*/, '')
      .replace(/^ {2}\/.*? {3}/, '');
  expect(lines.map(germanLine).filter((line) => english.test(unquoted(line)) && !/: \S/.test(line))).toEqual([]);
  await server.close();
});

test('[B88] a sentence is filled in German, and one that is not known stays as it is', () => {
  expect(germanSaid('Moved to before user “A. B”; its text is in the editor.').said).toBe(
    'Jetzt vor „A. B“ (du); der Text steht im Eingabefeld.',
  );
  expect(germanSaid('Undid 1,234 messages (“Hi, and bye”), a move and the label “x and y”.').said).toBe(
    'Rückgängig gemacht: 1.234 Nachrichten („Hi, and bye“), eine Verschiebung und das Lesezeichen „x and y“.',
  );
  expect(
    germanSaid(
      'a/b sees 1 message, about 2 tokens: 1.5 % of its window of 8,000, 7,000 until older messages are summarised.',
    ).said,
  ).toBe(
    'a/b sieht 1 Nachricht, etwa 2 Token: 1,5 % des Fensters von 8.000; noch 7.000, bis ältere Nachrichten zusammengefasst werden.',
  );
  expect(germanSaid('You are already there. Mind the gap.')).toEqual({
    said: 'Du bist schon dort.',
    english: 'Mind the gap.',
  });
  expect(germanLine('12. * assistant (pending) [oak] “user” · 3 messages, 1 of its own · 2 hours ago')).toBe(
    '12. * Modell (wird geschrieben) [oak] “user” · 3 Nachrichten, davon 1 nur hier · vor 2 Stunden',
  );
  expect(germanLine(' 2. │  ├─ ⋮3 • user “x”  ← you are here')).toBe(' 2. │  ├─ ⋮3 • du “x”  ← du bist hier');
});
