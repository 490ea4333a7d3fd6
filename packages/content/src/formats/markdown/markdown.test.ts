import { run, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore, testUuid } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { runFormatConformance } from '../conformance.ts';
import type { ExportedTree } from '../contract.ts';
import { readExportedTree } from '../exporting.ts';
import { writeExport } from '../write.ts';
import { markdown } from './index.ts';

const id = treeId(testUuid(1));

async function page(thread: boolean): Promise<string> {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  const say = (role: 'user' | 'assistant', text: string) => ({ message: textMessage(role, text) });
  await run(
    store,
    { type: 'create', treeId: id, attributes: { title: 'Tea', systemPrompt: 'Be brief.\nBe kind.' } },
    act,
  );
  const first = await run(store, { type: 'append', treeId: id, messages: [say('user', 'Which?')] }, act);
  const parentId = first.result.nodeId;
  await run(
    store,
    { type: 'append', treeId: id, parentId, messages: [say('assistant', 'Green.\n```js\nboil()')] },
    act,
  );
  const thinking = { type: 'thinking', thinking: 'It is late.' };
  const call = { type: 'tool-use', id: 'c', name: 'brew', parameters: { minutes: 3 } };
  const message = {
    role: 'assistant' as const,
    content: [thinking, ...textMessage('assistant', 'Black.').content, call],
  };
  const done = { ...textMessage('tool', 'a ``` fence'), tool_call_id: 'c' };
  await run(store, { type: 'append', treeId: id, parentId, messages: [{ message }, { message: done }] }, act);
  async function* trees(): AsyncGenerator<ExportedTree> {
    yield await store.read(id, () => readExportedTree(id));
  }
  let text = '';
  for await (const event of writeExport(markdown, trees(), { now: 0, thread }))
    if (event.type === 'text') text += event.text;
  return text;
}

runFormatConformance(markdown, []);

describe('Markdown', () => {
  it('[I24] shows the thread with reasoning folded, calls and results fenced', async () => {
    const text = await page(true);
    expect(text).toMatch(/^# Tea\n/);
    expect(text).toContain('> Be brief.\n> Be kind.');
    expect(text).toContain('<details><summary>Reasoning</summary>\n\nIt is late.');
    expect(text).toContain('Calls `brew`:\n\n```json\n{\n  "minutes": 3\n}\n```');
    expect(text).toContain('````\na ``` fence\n````');
    expect(text).not.toContain('Green.');
    expect(text).not.toContain('Outline');
  });

  it('[I25] shows the whole tree by its branches with an outline, and no message hides the next', async () => {
    const text = await page(false);
    expect(text).toContain('## Outline\n\n- [Branch 1: Which?](#branch-1) (1) ←\n  - [Branch 2: Green.');
    expect(text).toContain('<a id="branch-3"></a>Branch 3');
    expect(text).toContain('boil()\n```\n');
  });
});
