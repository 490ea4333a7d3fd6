import { expect, test } from 'vitest';
import { chatOptionsToJson, parseChatOptions } from './chat-options.ts';
import {
  composeSystemPrompt,
  fillPromptVariables,
  type LibraryEntry,
  libraryEntryToJson,
  listPromptVariables,
  parseLibraryEntry,
  splitPromptVariables,
} from './library.ts';

const entry = (set: Partial<LibraryEntry>): LibraryEntry => ({
  kind: 'instructions',
  name: '',
  text: '',
  folder: null,
  preset: null,
  formerNames: [],
  options: {},
  messages: [],
  ...set,
});

test('[B118] a new chat gets the instructions for everything, those of its project and the prompt of its preset, in this order', () => {
  const items = [
    entry({ text: 'For Rome.', folder: 'Rome' }),
    entry({ text: 'For Oslo.', folder: 'Oslo' }),
    entry({ text: ' For all. ' }),
    entry({ kind: 'prompt', name: 'p', text: 'Never.' }),
  ];
  const preset = entry({ kind: 'preset', name: 'Brief', text: 'Be brief.' });
  expect(composeSystemPrompt(items, 'Rome', preset)).toBe('For all.\n\nFor Rome.\n\nBe brief.');
  expect(composeSystemPrompt(items, null, null)).toBe('For all.');
  expect(composeSystemPrompt([], 'Rome', null)).toBeNull();
});

test('[B118] an entry is exported as JSON and imported unchanged; anything else is refused', () => {
  const preset = entry({
    kind: 'preset',
    name: 'Careful',
    text: 'Ask first.',
    options: { models: ['a/b'], n: 3, temperature: 0.4, topP: null, maxTokens: 900, thinking: 'high', toolsOff: ['x'] },
    messages: [{ role: 'user', content: 'Hello' }],
  });
  const formerNames = [{ name: 'People', until: 5 }];
  const project = entry({ folder: 'Team', text: 'For us.', formerNames, options: parseChatOptions({ n: 2 }) });
  for (const each of [preset, project])
    expect(parseLibraryEntry(JSON.parse(JSON.stringify(libraryEntryToJson(each))))).toEqual(each);
  for (const wrong of [null, 7, {}, { kind: 'preset', text: 'x' }, { kind: 'other', name: 'a', text: 'x' }])
    expect(parseLibraryEntry(wrong)).toBeNull();
});

test('[B118] variables of a prompt are found once each and filled; one without a value stays', () => {
  const text = 'Review this {{language}} change for {{ focus }}, in {{language}}. {{}} {x}';
  expect(listPromptVariables(text)).toEqual(['language', 'focus']);
  const pieces = splitPromptVariables(text);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.filter((piece) => piece.isVariable).map((piece) => piece.text)).toEqual([
    '{{language}}',
    '{{ focus }}',
    '{{language}}',
  ]);
  expect(fillPromptVariables(text, new Map([['language', 'Go']]))).toBe(
    'Review this Go change for {{ focus }}, in Go. {{}} {x}',
  );
});

test('[B119] only options that differ from the defaults are stored, and invalid ones are left out', () => {
  expect(chatOptionsToJson(parseChatOptions({ n: 1, temperature: null, toolsOff: [] }))).toEqual({});
  const options = {
    models: ['a/b'],
    n: 2,
    temperature: 0,
    topP: 0.9,
    thinking: 'low',
    toolsOn: false,
    toolsOff: ['t'],
  };
  expect(chatOptionsToJson(parseChatOptions(options))).toEqual(options);
  expect(
    chatOptionsToJson(parseChatOptions({ n: 99, temperature: 'hot', topP: 4, thinking: 'much', maxTokens: -1 })),
  ).toEqual({});
});
