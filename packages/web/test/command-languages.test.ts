import type { CommandAnswer, CommandPhrase } from '@coppice/client';
import { builtInCommands, commandPhrases, phraseUnits } from '@coppice/engine';
import { makeTextEvents } from '@coppice/engine/testing';
import { openTestServer } from '@coppice/server/testing';
import { expect, test } from 'vitest';
import { languageTextsDe } from '../src/i18n/de/index.ts';
import { languageCodes } from '../src/i18n/languages.ts';
import { loadTexts, type TranslatedLanguage } from '../src/i18n/loaders.ts';
import { createTranslation } from '../src/i18n/translation.ts';

const translated = languageCodes.filter((code): code is TranslatedLanguage => code !== 'en');
const german = createTranslation('de', languageTextsDe);

test.each(translated)(
  '[B88] every command, argument and example is translated into %s, and nothing else is',
  async (code) => {
    const { commandWords } = await loadTexts(code);
    const named = builtInCommands.map(({ name, parameters, examples }) => [
      name,
      Object.keys(parameters).toSorted(),
      examples.length,
    ]);
    const own = Object.entries(commandWords).map(([name, words]) => [
      name,
      Object.keys(words.arguments ?? {}).toSorted(),
      words.examples.length,
    ]);
    expect(own.toSorted()).toEqual(named.toSorted());
  },
);

test.each(translated)('[B88] every code that a command reports has a text in %s with the same values', async (code) => {
  const { sentences, units } = await loadTexts(code);
  const values = (template: string) => [...template.matchAll(/\{\w+\}/g)].map(String).toSorted();
  const english = Object.entries(commandPhrases).map(([key, template]) => [key, values(template)]);
  expect(Object.entries(sentences).map(([key, template]) => [key, values(template)])).toEqual(english);
  const left = Object.entries(sentences).filter(([key, template]) => {
    const phrases: Readonly<Record<string, string>> = commandPhrases;
    return template === phrases[key] && /\p{L}{2}/u.test(template.replace(/\{\w+\}/g, ''));
  });
  expect(left).toEqual([]);
  const counted = Object.keys(units).map((key) => key.split('.')[0]);
  expect([...new Set(counted)]).toEqual(Object.keys(phraseUnits));
});

test('[B88] arguments and built-in names have German names', async () => {
  const words = builtInCommands.flatMap(({ usage }) => usage.match(/(?<=[<[])[a-z]+(?=…?[>\]])/g) ?? []);
  expect(Object.keys(languageTextsDe.argumentNames).toSorted()).toEqual([...new Set(words)].toSorted());
  expect(german.translateUsage('/probe <message> [--to <text…>] [--plain]')).toBe(
    '/probe <Nachricht> [--to <Text…>] [--plain]',
  );
  const server = await openTestServer();
  const tools = (await server.ask('GET', '/api/tools')).body.items;
  const said = tools.map((tool: { readonly description: string }) => tool.description);
  expect(Object.keys(languageTextsDe.ownNames).toSorted()).toEqual([...said, 'Offline (no language model)'].toSorted());
  await server.close();
});

test('[B88] messages and lists of commands are translated', async () => {
  const server = await openTestServer({ replies: [makeTextEvents('It was about trees.')] });
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
  const said: Pick<CommandAnswer, 'said' | 'did'>[] = [];
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
    said.push(body);
    lines.push(...german.translateLines(body));
    list = body.list ?? list;
    if (body.place?.treeId === id) at = body.place.activeNodeId;
  }
  expect(said.length).toBeGreaterThan(35);
  for (const code of translated) {
    const { translateReport } = createTranslation(code, await loadTexts(code));
    expect(said.filter((one) => (translateReport(one).english ?? '') !== '')).toEqual([]);
  }
  const english = /\b(?:the|and|user|assistant|tool|messages?|more|ago|just now|you are|of its own)\b/;
  const unquoted = (line: string) =>
    line
      .replace(/“.*”/, '')
      .replace(/^\/.*/, '')
      .replace(/^ {2}\/.*? {3}/, '');
  expect(lines.filter((line) => english.test(unquoted(line)) && !/: \S/.test(line))).toEqual([]);
  await server.close();
});

test('[B88] a sentence is filled in German, and an unknown one stays unchanged', () => {
  const words = { quote: 'Hi, and bye' };
  expect(german.translatePhrase({ code: 'moved-before', data: { node: { who: 'user', words: 'A. B' } } })).toBe(
    'Jetzt vor „A. B“ (du); der Text steht im Eingabefeld.',
  );
  const parts = [
    { code: 'part-messages-with-words', data: { messages: { count: 1234, unit: 'message' }, words } },
    { code: 'part-move', data: {} },
    { code: 'part-label', data: { label: { quote: 'x and y' } } },
  ];
  expect(german.translatePhrase({ code: 'undid', data: { parts: { parts } } })).toBe(
    'Rückgängig gemacht: 1.234 Nachrichten („Hi, and bye“), eine Verschiebung und das Lesezeichen „x and y“.',
  );
  expect(
    german.translatePhrase({
      code: 'model-sees-until',
      data: {
        model: 'a/b',
        messages: { count: 1, unit: 'message' },
        tokens: { count: 2, unit: 'token' },
        used: { share: 0.015 },
        window: 8_000,
        left: 7_000,
      },
    }),
  ).toBe(
    'a/b sieht 1 Nachricht, etwa 2 Token: 1,5 % des Fensters von 8.000; noch 7.000, bis ältere Nachrichten zusammengefasst werden.',
  );
  const known = { code: 'already-there', data: {} };
  expect(german.translateReport({ said: 'You are already there.', did: [known] })).toEqual({
    said: 'Du bist schon dort.',
  });
  for (const did of [[known, { code: 'mind-the-gap', data: {} }], [{ code: 'moved', data: {} }], undefined])
    expect(german.translateReport({ said: 'Mind the gap.', ...(did === undefined ? {} : { did }) })).toEqual({
      said: '',
      english: 'Mind the gap.',
    });
  const row = (...line: readonly (string | CommandPhrase)[]) =>
    german.translateLines({ text: 'as it is', lines: [line] });
  const who = { word: 'assistant' };
  expect(
    row(
      '12. * ',
      { code: 'speaker-with-status', data: { who, status: { word: 'pending' } } },
      ' [oak] “user” · ',
      { code: 'messages-on-branch-own', data: { messages: { count: 3, unit: 'message' }, own: 1 } },
      ' · ',
      { code: 'age', data: { age: { ago: 2, unit: 'hour' } } },
    ),
  ).toEqual(['12. * Modell (wird geschrieben) [oak] “user” · 3 Nachrichten, davon 1 nur hier · vor 2 Stunden']);
  expect(row('x', { code: 'unheard-of', data: {} })).toEqual(['as it is']);
});
