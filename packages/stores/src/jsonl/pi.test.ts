/** Tests with the published terminal agent pi: pi opens exported sessions, and Coppice opens the files of pi. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit, type ThinkingBlock } from '@coppice/content';
import { decodeEntry, SessionIndex, toPiLines } from '@coppice/content/sessions';
import {
  ask,
  type Command,
  type Message,
  type Node,
  type NodeId,
  nodeId,
  run,
  type Store,
  type TextBlock,
  type ToolUseBlock,
  type TreeId,
  textMessage,
  textOf,
  treeId,
} from '@coppice/core';
import { contextOf, readContextPath } from '@coppice/core/context';
import { testUuid } from '@coppice/core/testing';
import { type SessionEntry as PiEntry, SessionManager as PiManager } from '@mariozechner/pi-coding-agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SessionStore } from './index.ts';
import { sessionFiles } from './session-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-pi-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type PiMessage = ReturnType<PiManager['buildSessionContext']>['messages'][number];

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { type?: string; text?: string; name?: string; thinking?: string }) =>
      block.type === 'toolCall' || block.type === 'tool-use'
        ? `<call ${block.name}>`
        : block.type === 'thinking'
          ? `<thinking ${block.thinking}>`
          : (block.text ?? `<${block.type}>`),
    )
    .join('');
}

/** Describes a context of pi as texts that can be compared with those of {@link ours}. */
function theirs(messages: readonly PiMessage[]): string[] {
  return messages.map((message) => {
    switch (message.role) {
      case 'compactionSummary':
        return `summary: ${message.summary}`;
      case 'branchSummary':
        return `branch-summary: ${message.summary}`;
      case 'custom':
        return `injected: ${contentText(message.content)}`;
      case 'toolResult':
        return `tool ${message.toolCallId}: ${contentText(message.content)}`;
      case 'bashExecution':
        return `user: Ran \`${message.command}\`\n\`\`\`\n${message.output}\n\`\`\``;
      default:
        return `${message.role}: ${contentText(message.content)}`;
    }
  });
}

/** Describes a context of Coppice as texts that can be compared with those of {@link theirs}. */
async function ours(store: Store, tree: TreeId): Promise<string[]> {
  return store.read(tree, function* () {
    const active = (yield* ask('tree', {}))?.activeNodeId;
    if (active == null) return [];
    const path = yield* readContextPath(active);
    const raw = new Map(path.map((node) => [node.id, node]));
    return contextOf(path, { kit: messageKit }).entries.map(({ kind, nodeId: id, message }) => {
      const stored = id === null ? null : (raw.get(id)?.message ?? null);
      if (kind === 'summary' || kind === 'branch-summary') return `${kind}: ${stored === null ? '' : textOf(stored)}`;
      if (kind === 'injected') return `injected: ${contentText(message.content)}`;
      const who = message.role === 'tool' ? `tool ${message.tool_call_id}` : message.role;
      return `${who}: ${contentText(message.content)}`;
    });
  });
}

async function rowsOf(store: Store, tree: TreeId): Promise<{ readonly nodes: readonly Node[] }> {
  return (await store.read(tree, () => ask('rows', {}))) ?? { nodes: [] };
}

async function onlyTree(store: Store): Promise<TreeId> {
  const [item] = (await store.trees()).items;
  if (item === undefined) throw new Error('There is no session.');
  return item.id;
}

/** Exports the only session of a store and opens it with pi. */
async function exported(path: string): Promise<{ readonly manager: PiManager; readonly losses: number }> {
  const file = sessionFiles.open(path, { readOnly: true });
  const index = new SessionIndex(file);
  const { lines, losses } = toPiLines(index, index.leaf, 1_767_400_000_000);
  file.close();
  const to = join(folder, 'export', 'for-pi.jsonl');
  sessionFiles.save(
    to,
    lines.map((line) => `${JSON.stringify(line)}\n`),
  );
  const before = readFileSync(to);
  const manager = PiManager.open(to);
  // pi rewrites files that look old to it. It must leave exported files unchanged.
  expect(readFileSync(to).equals(before)).toBe(true);
  return { manager, losses: losses.length };
}

const shown: ReadonlySet<string> = new Set(['message', 'branch_summary', 'compaction', 'custom_message']);

/** Returns ids and parents of the messages, without other entries. */
function piShape(entries: readonly PiEntry[]): [string, string | null][] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const above = (entry: PiEntry): string | null => {
    let at = entry.parentId === null ? undefined : byId.get(entry.parentId);
    while (at !== undefined && !shown.has(at.type)) at = at.parentId === null ? undefined : byId.get(at.parentId);
    return at?.id ?? null;
  };
  return entries.filter(({ type }) => shown.has(type)).map((entry) => [entry.id, above(entry)]);
}

const text = (said: string): TextBlock => ({ type: 'text', text: said });
const thinking: ThinkingBlock = { type: 'thinking', thinking: 'look first', signature: 'c2ln' };
const use: ToolUseBlock = { type: 'tool-use', id: 'call_1', name: 'read', parameters: { path: 'a.ts' } };
const call: Message = { role: 'assistant', content: [thinking, text('Looking.'), use] };

describe('the published terminal agent', () => {
  test('[J40] opens an exported file and finds the same tree, labels and context', async () => {
    const store = await SessionStore.open(join(folder, 'ours'));
    const tree = treeId(testUuid(1));
    let count = 10;
    const act = (command: Command) =>
      run(store, command, {
        actor: 'me',
        now: () => 1_767_323_045_000 + count,
        newId: () => testUuid(count++),
        kit: messageKit,
      });
    await act({ type: 'create', treeId: tree, attributes: { title: 'A session' } });
    const said = (role: 'user' | 'assistant', text: string, id: number) => ({
      id: testUuid(id),
      message: textMessage(role, text),
    });
    await act({
      type: 'append',
      treeId: tree,
      messages: [
        said('user', 'Build a CLI', 101),
        { id: testUuid(102), message: call },
        {
          id: testUuid(103),
          message: { role: 'tool', tool_call_id: 'call_1', content: [text('x = 1')] },
        },
        said('assistant', 'It sets x.', 104),
        said('user', 'Add a flag', 105),
        said('assistant', 'Added.', 106),
      ],
    });
    await act({
      type: 'edit',
      treeId: tree,
      nodeId: nodeId(testUuid(105)),
      content: 'Add a verbose flag',
      mode: 'branch',
      id: testUuid(107),
    });
    await act({ type: 'append', treeId: tree, messages: [said('assistant', 'Verbose it is.', 108)] });
    await act({
      type: 'compact',
      treeId: tree,
      summary: 'A CLI with a flag',
      firstKept: nodeId(testUuid(107)),
      id: testUuid(109),
    });
    await act({ type: 'append', treeId: tree, messages: [said('user', 'Go on', 110)] });
    await act({ type: 'bookmark', treeId: tree, nodeId: nodeId(testUuid(106)), title: 'first try' });
    await act({
      type: 'branch',
      treeId: tree,
      nodeId: nodeId(testUuid(104)),
      summary: 'tried flags',
      id: testUuid(111),
    });
    await act({ type: 'append', treeId: tree, messages: [said('user', 'Use Rust', 112)] });
    for (const at of [112, 110, 106]) {
      await act({ type: 'select', treeId: tree, nodeId: nodeId(testUuid(at)) });
      rmSync(join(folder, 'export'), { recursive: true, force: true });
      const [name = ''] = readdirSync(join(folder, 'ours')).filter((one) => one.endsWith('.jsonl'));
      const { manager, losses } = await exported(join(folder, 'ours', name));
      expect(losses).toBe(0);
      expect(theirs(manager.buildSessionContext().messages)).toEqual(await ours(store, tree));
      const rows = await rowsOf(store, tree);
      const root = rows.nodes.find((node) => node.parentId === null)?.id;
      expect(piShape(manager.getEntries())).toEqual(
        rows.nodes
          .filter((node) => node.parentId !== null)
          .map(({ id, parentId }) => [id, parentId === root ? null : parentId]),
      );
      expect(manager.getLabel(testUuid(106))).toBe('first try');
      expect(manager.getSessionName()).toBe('A session');
      expect(manager.getHeader()?.id).toBe(tree);
    }
    await store.close();
  });

  test('[J41] writes files that Coppice opens with the same tree, labels and context, on every branch', async () => {
    const sessions = join(folder, 'theirs');
    const manager = PiManager.create('/w', sessions);
    let at = 1_767_323_045_000;
    const user = (text: string) => manager.appendMessage({ role: 'user', content: text, timestamp: at++ });
    const usage = {
      input: 5,
      output: 7,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 12,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    };
    const assistant = (content: string) =>
      manager.appendMessage({
        role: 'assistant',
        content: [{ type: 'text', text: content }],
        api: 'openai-completions',
        provider: 'acme',
        model: 'm-x',
        usage,
        stopReason: 'stop',
        timestamp: at++,
      });
    const first = user('hello');
    const second = assistant('hi');
    manager.appendMessage({
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } }],
      api: 'openai-completions',
      provider: 'acme',
      model: 'm-x',
      usage,
      stopReason: 'toolUse',
      timestamp: at++,
    });
    manager.appendMessage({
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'bash',
      content: [{ type: 'text', text: 'a.ts' }],
      isError: false,
      timestamp: at++,
    });
    const kept = user('and now');
    assistant('done');
    manager.appendCompaction('said hello, listed files', kept, 1234);
    user('more');
    const tip = assistant('of course');
    manager.appendLabelChange(second, 'greeting');
    manager.appendModelChange('acme', 'm-y');
    manager.appendCustomMessageEntry('note', 'remember this', true);
    manager.appendSessionInfo('A talk');
    manager.branchWithSummary(second, 'looked around');
    user('elsewhere');
    manager.appendMessage({
      role: 'bashExecution',
      command: 'pwd',
      output: '/w',
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: at++,
    });
    manager.branch(first);
    manager.appendThinkingLevelChange('high');
    const [name = ''] = readdirSync(sessions).filter((one) => one.endsWith('.jsonl'));
    const path = join(sessions, name);
    const bytes = readFileSync(path);

    const store = await SessionStore.open(sessions);
    const tree = await onlyTree(store);
    const again = PiManager.open(path);
    expect(await ours(store, tree)).toEqual(theirs(again.buildSessionContext().messages));
    const names = await store.externalIdsOf(tree);
    const byName = new Map(names.map(({ id, nodeId: node }) => [id, node]));
    const rows = await rowsOf(store, tree);
    const kinds = new Map(rows.nodes.map((node) => [node.id, node]));
    const above = (id: NodeId): NodeId | null => {
      let node = kinds.get(kinds.get(id)?.parentId ?? nodeId(''));
      while (node !== undefined && node.kind === 'state') node = kinds.get(node.parentId ?? nodeId(''));
      return node === undefined || node.kind === 'root' ? null : node.id;
    };
    for (const [id, parent] of piShape(again.getEntries())) {
      const node = byName.get(id) ?? nodeId('');
      expect([id, above(node)]).toEqual([id, parent === null ? null : byName.get(parent)]);
    }
    const row = (await store.trees()).items[0];
    expect(row?.attributes.title).toBe('A talk');
    const labelled = await store.read(tree, () => ask('bookmark', { on: byName.get(second) ?? nodeId('') }));
    expect(labelled?.title).toBe('greeting');
    for (const leaf of [tip, kept, second]) {
      again.branch(leaf);
      const index = new SessionIndex(sessionFiles.open(path));
      const to = index.file.indexOf(leaf);
      expect(
        index
          .path(to)
          .slice(1)
          .map((line) => index.file.uuidAt(line)),
      ).toEqual(
        again
          .getBranch()
          .filter(({ type }) => type !== 'label' && type !== 'session_info')
          .map(({ id }) => id),
      );
    }
    await store.close();
    // The file is read and never rewritten.
    expect(readFileSync(path).equals(bytes)).toBe(true);
    const { manager: back } = await exported(path);
    expect(theirs(back.buildSessionContext().messages)).toEqual(
      theirs(PiManager.open(path).buildSessionContext().messages),
    );
    expect(back.getLabel(second)).toBe('greeting');
  });
});

test('[J44] continues a file of Coppice, which opens as before, with the new messages', () => {
  const made = sessionFiles.create({ folder }, { uuid: testUuid(1), id: testUuid(2), at: 1, commit: { actor: 'me' } });
  made.append([
    { type: 'message', uuid: testUuid(3), parentUuid: testUuid(1), message: textMessage('assistant', 'ours') },
  ]);
  const { path } = made;
  made.close();
  const pi = PiManager.open(path, folder);
  pi.appendMessage({ role: 'user', content: 'from pi', timestamp: 1 });
  pi.appendCustomEntry('more');
  expect(JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '')).toMatchObject({ version: 3, uuid: testUuid(1) });
  const file = sessionFiles.open(path);
  expect([file.dialect, file.writable, file.size, file.warnings]).toEqual(['v2', true, 4, []]);
  expect(textOf(decodeEntry(file.entryAt(2)).message)).toBe('from pi');
  expect([file.parentAt(2), file.parentAt(3), file.isOurs(2)]).toEqual([0, 2, false]);
  file.append([
    { type: 'message', uuid: testUuid(4), parentUuid: testUuid(3), message: textMessage('user', 'goes on') },
  ]);
  expect([file.parentAt(file.indexOf(testUuid(4))), file.version]).toEqual([1, 5]);
  file.close();
});
