import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { lmStudio } from './index.ts';

const said = (text: string) => ({ type: 'singleStep', role: 'user', content: [{ type: 'text', text }] });
const step = (content: readonly object[], rest: object = {}) => ({ type: 'contentBlock', content, ...rest });
const reply = (...steps: readonly object[]) => ({
  type: 'multiStep',
  role: 'assistant',
  senderInfo: { senderName: 'qwen' },
  steps,
});
const words = (text: string) => ({ type: 'text', text });
const message = (currentlySelected: number, ...versions: readonly object[]) => ({ versions, currentlySelected });

const chat = (rest: readonly object[] = []) =>
  JSON.stringify({
    name: 'LM chat',
    pinned: true,
    createdAt: 1730000000000,
    systemPrompt: 'Be brief.',
    messages: [
      message(0, said('Hello')),
      message(
        0,
        reply(
          step([words('Hm.')], { style: { type: 'thinking', ended: true } }),
          step([words('Hi one')], {
            genInfo: { identifier: 'qwen-8b', stats: { promptTokensCount: 4, predictedTokensCount: 2 } },
          }),
          { type: 'debugInfoBlock', debugInfo: 'x' },
        ),
        reply(step([words('Hi two')])),
      ),
      message(0, said('And files?')),
      message(
        0,
        reply(
          step([
            { type: 'toolCallRequest', callId: 0, toolCallRequestId: 'c1', name: 'ls', parameters: { path: '/' } },
          ]),
          step([{ type: 'toolCallResult', toolCallRequestId: 'c1', content: 'a.ts' }]),
          step([words('One.'), { type: 'file', fileIdentifier: 'f1' }]),
        ),
      ),
      ...rest,
    ],
  });

runFormatConformance(lmStudio, [
  {
    name: 'versions, reasoning and tools',
    files: { '1730000000000.conversation.json': chat() },
    trees: 1,
    nodes: 7,
    findings: [],
    thread: ['Hello', 'Hi one\nHm.', 'And files?', 'ls({"path":"/"})', 'a.ts', 'One.\n[f1]'],
    newer: { 'a.json': chat([message(0, said('Thanks'))]) },
  },
  {
    name: 'plain texts, and a message that names no version',
    files: {
      'c.json': JSON.stringify({
        name: 'Plain',
        createdAt: 1730000000001,
        messages: [
          message(0, { type: 'singleStep', role: 'user', content: 'Hello' }),
          { versions: [reply({ type: 'contentBlock', content: 'First' }), reply(step([words('Second')]))] },
        ],
      }),
    },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Hello', 'First'],
  },
  {
    name: 'a role and a step that are not known, no time',
    files: {
      'b.json': JSON.stringify({
        name: 'Odd',
        messages: [
          message(3, { ...said('Who?'), role: 'owner' }),
          message(0),
          message(0, reply({ type: 'later' }, step([words('I.')]))),
        ],
      }),
    },
    trees: 1,
    nodes: 3,
    findings: ['import/unknown-type'],
  },
]);

it('[I213] versions are one group, and the list continues below the selected one', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': chat() }));
  const [tree] = trees;
  expect(tree?.title).toBe('LM chat');
  expect(tree?.nodes.filter((node) => node.group === '1').map((node) => node.externalId)).toEqual(['1.0', '1.1']);
  expect(tree?.nodes.find((node) => node.externalId === '2.0')?.parentExternalId).toBe('1.0');
  expect(tree?.nodes.find((node) => node.externalId === '1.0')?.meta?.source).toEqual({
    type: 'model',
    model_name: 'qwen-8b',
    usage: { input_tokens: 4, output_tokens: 2 },
  });
});
