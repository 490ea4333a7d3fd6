/** A first example: creates a small tree in an SQLite file, branches, edits, undoes, searches, and draws the result. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type NodeId, readTopology, readTree, run, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';

const file = join(mkdtempSync(join(tmpdir(), 'coppice-example-')), 'trees.db');
const store = await openStore(`sqlite:${file}`);
const me = { actor: 'me', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
const id = treeId(crypto.randomUUID());
const say = (text: string) => process.stdout.write(`${text}\n`);

async function draw(title: string): Promise<void> {
  const { activeNodeId, rootId, version } = await store.read(id, () => readTree(id));
  const nodes = await store.read(id, () => readTopology(id));
  const below = new Map<string, typeof nodes>();
  for (const node of nodes) below.set(node.parentId, [...(below.get(node.parentId) ?? []), node]);
  say(`\n${title} (version ${version})`);
  const open: { readonly id: NodeId; readonly depth: number }[] = [{ id: rootId, depth: -1 }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { id: here, depth } = at;
    const node = nodes.find((one) => one.id === here);
    if (node !== undefined)
      say(
        `${'  '.repeat(depth)}${node.role === 'user' ? '●' : '○'} ${node.preview}${here === activeNodeId ? '   ← you are here' : ''}`,
      );
    const children = [...(below.get(here) ?? [])].sort((a, b) => (a.position < b.position ? 1 : -1));
    for (const child of children) open.push({ id: child.id, depth: depth + 1 });
  }
}

await run(store, { type: 'create', treeId: id, attributes: { title: 'Moving house', systemPrompt: 'Be brief.' } }, me);
const conversation = [
  textMessage('user', 'Plan the move'),
  textMessage('assistant', 'Pack room by room, kitchen last.'),
  textMessage('user', 'What first?'),
  textMessage('assistant', 'Books: heavy, and not missed.'),
].map((message) => ({ message }));
const { result } = await run(store, { type: 'append', treeId: id, messages: conversation }, me);
await draw('Four messages, one commit');

const [first, reply] = result.added;
if (first === undefined || reply === undefined) throw new Error('The append added nothing.');
await run(
  store,
  {
    type: 'regenerate',
    treeId: id,
    nodeId: reply,
    replies: [{ message: textMessage('assistant', 'Hire movers, sleep in.') }],
  },
  me,
);
await run(store, { type: 'edit', treeId: id, nodeId: first, content: 'Plan the move to Lisbon' }, me);
await draw('Another answer and an edit: nothing is lost');

await run(store, { type: 'delete', treeId: id, nodeIds: [reply], mode: 'cascade' }, me);
await draw('A branch deleted');
await run(store, { type: 'undo', treeId: id }, me);
await draw('… and undone');

const hits = await store.search({ text: 'book' });
say(`\nSearch “book” over every branch: ${hits.items.map((hit) => hit.snippet).join(' | ')}`);
const { findings } = await store.fsck();
say(`fsck: ${findings.length} findings. The file is ${file}`);
await store.close();
