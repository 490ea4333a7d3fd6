/** Tests folders and archives with conversations of several programs. */
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { createBranchedTree, exportStoredTrees } from './conformance/storing.ts';
import { type FixtureFiles, importIntoStore, toImportInput } from './conformance.ts';
import { encodeUtf8 } from './decode.ts';
import { archive, linear } from './members.ts';
import { readImport } from './read.ts';

const lines = (...values: readonly object[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('');
const at = '2026-01-02T03:04:05.000Z';
const said = { role: 'user', content: 'said' };
const call = { request: { model: 'm', messages: [said], temperature: 1 }, response: { id: 'r', choices: [] } };

const whole: FixtureFiles = {
  'gpt/export.dat': JSON.stringify([
    {
      id: 'c',
      current_node: 'a',
      mapping: { a: { id: 'a', parent: null, message: { author: { role: 'user' }, content: { parts: ['gpt'] } } } },
    },
  ]),
  'gpt/photo.png': 'no picture',
  'claude.txt': JSON.stringify([{ uuid: 'k', chat_messages: [{ uuid: 'h', sender: 'human', text: 'claude' }] }]),
  'sessions/pi.jsonl': lines(
    { type: 'session', version: 3, id: 's', timestamp: at, cwd: '/w' },
    { type: 'message', id: 'p1', parentId: null, timestamp: at, message: { role: 'user', content: 'pi' } },
  ),
  'sessions/code.jsonl': lines({
    type: 'user',
    uuid: 'u',
    parentUuid: null,
    sessionId: 's',
    isSidechain: false,
    timestamp: at,
    message: { role: 'user', content: 'code' },
  }),
  'sessions/codex.jsonl': lines(
    { timestamp: at, type: 'session_meta', payload: { id: 's', timestamp: at } },
    {
      timestamp: at,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'codex' }] },
    },
  ),
  'sessions/gemini.json': JSON.stringify({
    sessionId: 's',
    projectHash: 'p',
    messages: [{ id: 'g', timestamp: at, type: 'user', content: 'gemini' }],
  }),
  'history.md': '# aider chat started at 2026-01-02 03:04:05\n\n#### aider\n',
  'loom.json': JSON.stringify({ root: { id: 'n', text: 'loom', children: [] }, selected_node_id: 'n' }),
  'lists/one.json': JSON.stringify([{ role: 'user', content: 'one' }]),
  'lists/two.json': JSON.stringify({ messages: [{ role: 'user', content: 'two' }] }),
  'ui.json': JSON.stringify([{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'ui' }] }]),
  'log-1.jsonl': lines(call),
  'log-2.jsonl': lines({ ...call, request: { ...call.request, messages: [{ role: 'user', content: 'log' }] } }),
  'notes.md': '# Notes',
};
const texts = ['aider', 'claude', 'code', 'codex', 'gemini', 'gpt', 'log', 'loom', 'one', 'pi', 'said', 'two', 'ui'];

async function read(files: FixtureFiles) {
  const { trees, findings } = await importIntoStore(toImportInput(files));
  const found = trees.flatMap(({ nodes }) =>
    nodes.map(({ message: { content } }) => content.map((block) => ('text' in block ? block.text : '')).join('')),
  );
  return {
    texts: found.sort(),
    left: findings.filter((one) => one.code !== 'import/active-inferred').map((one) => one.place),
  };
}

describe('conversations of several programs', () => {
  it('[I36] are all read from one folder, whatever the names of their files, and a foreign file is reported once', async () => {
    const found = await read(whole);
    expect(found.texts).toEqual(texts);
    expect(found.left.sort()).toEqual(['gpt/photo.png', 'notes.md']);
  });

  it('[I151] report progress by bytes, each counted once however often a file is examined', async () => {
    const reported: [number, number | null][] = [];
    for await (const event of readImport(toImportInput(whole)))
      if (event.type === 'progress') reported.push([event.bytes, event.total]);
    const size = Object.values(whole).reduce((sum, file) => sum + file.length, 0);
    expect(reported.map(([bytes]) => bytes)).toEqual(reported.map(([bytes]) => bytes).sort((a, b) => a - b));
    for (const [bytes, total] of reported) expect([bytes <= size, total]).toEqual([true, size]);
    expect(reported.at(-1)?.[0]).toBeGreaterThan(size * 0.8);
  });

  it('[I36] are all read from one archive', async () => {
    const zip = zipSync(
      Object.fromEntries(Object.entries(whole).map(([name, text]) => [name, encodeUtf8(String(text))])),
    );
    expect((await read({ 'all.zip': zip })).texts).toEqual(texts);
  });

  it('[I36] are read together with a Coppice archive, which alone has checksums', async () => {
    const { files } = await exportStoredTrees(await createBranchedTree(), archive);
    const [text = ''] = files.values();
    const found = await read({ 'a.json': JSON.stringify([said]), 'b.jsonl': text });
    expect(found.texts).toContain('said');
    expect(found.texts).toContain('The rings.');
    expect(found.left).toEqual([]);
  });

  it('[I36] name their format before their first tree', async () => {
    const names: string[] = [];
    for await (const event of readImport(
      toImportInput({ 'a.json': whole['lists/one.json'] ?? '', 'b.txt': whole['claude.txt'] ?? '' }),
    ))
      if (event.type === 'format') names.push(event.format.name);
    expect(names).toEqual(['claude-ai', linear.name]);
  });

  it('[I36] that no format can read are refused together', async () => {
    await expect(read({ 'a.md': '# a', 'b.md': '# b' })).rejects.toMatchObject({ code: 'import/unknown-format' });
  });
});
