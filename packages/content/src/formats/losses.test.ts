/** What a target cannot hold is named, for each that has no place for it. */
import { run, textMessage, treeId } from '@coppice/core';
import { ReferenceStore, ticking } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../kit.ts';
import { inputOf, storeInput, treeIn, writeStored } from './conformance.ts';
import { formatNamed } from './formats.ts';

/** A tree with a bit of everything that is beside the words. */
async function rich() {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...ticking() };
  const id = treeId('00000000-0000-7000-8000-00000000abce');
  await run(store, { type: 'create', treeId: id, attributes: { title: 'Rich', pinned: true } }, act);
  const source = { type: 'model', provider: 'p', model_name: 'm', usage: { inputTokens: 1, outputTokens: 2 } };
  const call = { type: 'tool-use', id: 'c1', name: 'f', parameters: {} };
  const asked = { message: textMessage('user', 'Ask'), meta: { excluded: true, customData: { a: 1 } } };
  const said = { message: { role: 'assistant' as const, content: [call, { type: 'odd', x: 1 }] }, meta: { source } };
  const failed = { ...textMessage('user', 'no'), role: 'tool' as const, tool_call_id: 'c1' };
  const { result } = await run(store, { type: 'append', treeId: id, messages: [asked] }, act);
  const first = result.nodeId;
  const messages = [said, { message: failed, meta: { isError: true } }];
  await run(store, { type: 'append', treeId: id, messages }, act);
  await run(store, { type: 'edit', treeId: id, nodeId: first, content: 'Ask else' }, act);
  return { store, ids: [id], names: [] };
}

describe('an export of what a format cannot hold', () => {
  it.each([
    ['chatgpt', ['block', 'excluded', 'failures', 'groups', 'notes', 'usage']],
    ['open-webui', ['block', 'excluded', 'failures', 'groups', 'notes']],
    ['librechat', ['block', 'excluded', 'failures', 'groups', 'notes']],
  ])('[I37] names what is beside the words: %s', async (name, wanted) => {
    const format = formatNamed(name);
    if (format === undefined) throw new Error('There is no such format.');
    const { report } = await writeStored(await rich(), format);
    expect(Object.keys(report.counts)).toEqual(expect.arrayContaining(wanted));
    expect(Object.keys(format.writer?.loses ?? {})).toEqual(expect.arrayContaining(Object.keys(report.counts)));
  });

  it('[I37] is not made of what a format has a place for: a pinned tree is starred in ChatGPT', async () => {
    const format = formatNamed('chatgpt');
    if (format === undefined) throw new Error('There is no such format.');
    const { files } = await writeStored(await rich(), format);
    const again = await storeInput(inputOf(Object.fromEntries(files)));
    const [id] = again.ids;
    if (id === undefined) throw new Error('There is no tree.');
    expect(treeIn(again, id).attributes.pinned).toBe(true);
  });
});
