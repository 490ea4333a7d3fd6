import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findHooks } from './hooks.ts';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from './testing/index.ts';

let fixture: CliFixture;
let folder: string;
beforeEach(() => {
  fixture = makeCliFixture({ config: instantRepliesConfig, env: { COPPICE_MODEL: 'offline/guide' } });
  folder = join(fixture.home, '.coppice', 'hooks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
});
afterEach(() => fixture.close());

function hook(name: string, text: string, to = folder): string {
  const path = join(to, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const say = async (...more: readonly string[]) => fixture.run(['chat', '-p', ...more], 'How do I connect a model?');
const onFile = () => ['--store', `jsonl:${join(fixture.home, 'session.jsonl')}`];
const notes = () =>
  readFileSync(join(fixture.home, 'session.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"customType":"note"'))
    .map((line) => JSON.parse(line).data);

it('[O72] a chat on a session file calls the user’s own hooks, which see its entries and save some; --no-hooks skips them', async () => {
  hook(
    'note.mjs',
    `export default { after: { generate: async (_, context) => {
       const said = context.currentPath.filter(({ type }) => type === 'message').length;
       await context.saveEntry({ type: 'custom', customType: 'note', data: { said } });
     } } };`,
  );
  expect(await say(...onFile(), '--no-hooks')).toMatchObject({ code: 0, err: '' });
  expect(notes()).toEqual([]);
  expect(await say(...onFile())).toMatchObject({ code: 0, err: '' });
  expect(notes()).toEqual([{ said: 4 }]);
  expect(await fixture.json(['show', 'last', ...onFile()])).toMatchObject({ nodes: { length: 4 } });
});

it('[O72] a hook can cancel, in any store, and doctor names the hooks that a chat loads', async () => {
  hook('no.mjs', `export default { before: { append: () => ({ cancel: 'Not today.' }) } };`);
  const refused = await say();
  expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('Not today.') });
  // A message that was not sent must not create a tree.
  expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
  hook('no.mjs', 'export default { before: { append: (_, context) => void context.entries.length } };');
  const ran = await fixture.run(['doctor']);
  expect(ran.out).toContain('a chat loads no.mjs');
});

it('[O73] failing, broken and untrusted hooks are named and skipped, and the current directory is ignored', async () => {
  const ran = 'globalThis.strangeHookRan = true; export default { after: {} };';
  const there = join(fixture.home, 'project');
  mkdirSync(join(there, '.coppice', 'hooks'), { recursive: true });
  const strange = hook('strange.mjs', ran, join(there, '.coppice', 'hooks'));
  hook('1-broken.mjs', 'throw new Error("broken on the way in");');
  hook('2-none.mjs', 'export default 1;');
  symlinkSync(strange, join(folder, '3-link.mjs'));
  const open = hook('4-open.mjs', ran);
  chmodSync(open, 0o666);
  hook('5-fails.mjs', `export default { after: { append: () => { throw new Error('failed later'); } } };`);
  hook('6-entries.js', 'export default { after: { append: (_, context) => void context.entries } };');
  hook('package.json', '{"type":"module"}');
  const standing = makeCliFixture({ env: { COPPICE_MODEL: 'offline/guide' }, home: fixture.home, cwd: there });
  const { code, err } = await standing.run(['chat', '-p'], 'How do I connect a model?');
  standing.close();
  expect(code).toBe(0);
  expect(err.split('\n').filter((line) => line !== '')).toEqual([
    'The hook 4-open.mjs was not loaded: it can be written by other users; run chmod go-w to prevent that.',
    'The hook 1-broken.mjs was not loaded: broken on the way in',
    expect.stringMatching(/^The hook 2-none\.mjs was not loaded: .* has no default export with hooks/),
    expect.stringMatching(/^The hook 3-link\.mjs was not loaded: .* is not in a folder that you trust/),
    'The hook 5-fails.mjs failed after append: failed later',
    expect.stringMatching(
      /^The hook 6-entries\.js failed after append: The chat .* is not in a session file, so hooks/,
    ),
  ]);
  const { findings } = await fixture.json(['doctor']);
  expect(findings).toContainEqual(expect.objectContaining({ what: 'hooks', state: 'note' }));
  chmodSync(open, 0o600);
  chmodSync(folder, 0o777);
  const found = await findHooks(fixture.home);
  expect(found.length).toBe(6);
  for (const { trouble } of found) expect(trouble).toMatch(/^its folder can be written by other users/);
  expect(Reflect.get(globalThis, 'strangeHookRan')).toBeUndefined();
});
