/** Compares the writer with the published terminal agent: its session manager must open the written files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, textMessage } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { SessionManager } from '@mariozechner/pi-coding-agent';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { createBranchedTree } from '../conformance/storing.ts';
import { exportStoredTrees, importIntoStore, toImportInput } from '../conformance.ts';
import { pi } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-pi-format-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function opened(text: string): SessionManager {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, text);
  const manager = SessionManager.open(path);
  // The manager overwrites files that it cannot read and migrates older ones. It must leave the written file unchanged.
  expect(readFileSync(path, 'utf8')).toBe(text);
  return manager;
}

function said(manager: SessionManager): string[] {
  return manager.buildSessionContext().messages.map((message) => {
    if (!('content' in message)) return message.role;
    const { content } = message;
    if (typeof content === 'string') return `${message.role}: ${content}`;
    return `${message.role}: ${content.map((part) => ('text' in part ? part.text : part.type)).join('')}`;
  });
}

async function textOf(stored: Parameters<typeof exportStoredTrees>[0]): Promise<string> {
  const { files } = await exportStoredTrees(stored, pi);
  const [text = ''] = files.values();
  return text;
}

describe('pi itself', () => {
  it('[I77] opens a tree created here: its thread, its branches, its labels and its name', async () => {
    const manager = opened(await textOf(await createBranchedTree()));
    expect(said(manager).slice(-4)).toEqual([
      'user: How old is the oak?',
      'assistant: Three hundred years.',
      'user: And the ash?',
      'assistant: Half of that.',
    ]);
    expect(manager.getSessionName()).toBe('Trees');
    const labels = manager.getEntries().flatMap((entry) => manager.getLabel(entry.id) ?? []);
    expect(labels).toEqual(['Age']);
    const texts = JSON.stringify(manager.getTree());
    for (const words of ['Who says so?', 'The rings.']) expect(texts).toContain(words);
  });

  it('[I77] appends to a file that it opened, and we read it again', async () => {
    const sample = await createBranchedTree();
    const manager = opened(await textOf(sample));
    const before = manager.getEntries().length;
    manager.appendMessage({ role: 'user', content: 'And the elm?', timestamp: 1_790_000_000_000 });
    const text = [manager.getHeader(), ...manager.getEntries()].map((one) => `${JSON.stringify(one)}\n`).join('');
    expect(manager.getEntries().length).toBe(before + 1);
    const again = await importIntoStore(toImportInput({ 'session.jsonl': text }));
    const [tree] = again.trees;
    const newest = tree?.nodes.find((node) => node.externalId === tree.activeExternalId);
    expect(newest?.message.content).toEqual([{ type: 'text', text: 'And the elm?' }]);
  });

  it('[I77] opens calls, results and reasoning created here', async () => {
    const { store, ids } = await createBranchedTree();
    const [id] = ids;
    if (id === undefined) throw new Error('There is no tree.');
    const act = { actor: 'me', kit: messageKit, ...createTestClock(50) };
    const call = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look it up.', signature: 'c2ln' },
        { type: 'tool-use', id: 'c1', name: 'look', parameters: { at: 1 } },
      ],
    } as const;
    const result = { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'green' }] } as const;
    const messages = [
      { message: textMessage('user', 'Which?') },
      { message: call },
      { message: result },
      { message: textMessage('assistant', 'Green.') },
    ];
    await run(store, { type: 'append', treeId: id, messages }, act);
    const manager = opened(await textOf({ store, ids, names: [] }));
    expect(said(manager).slice(-4)).toEqual([
      'user: Which?',
      'assistant: thinkingtoolCall',
      'toolResult: green',
      'assistant: Green.',
    ]);
    const asked = manager.buildSessionContext().messages.find((one) => 'toolCallId' in one);
    expect(asked).toMatchObject({ role: 'toolResult', toolCallId: 'c1', toolName: 'look', isError: false });
  });
});
