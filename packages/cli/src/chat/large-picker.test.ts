import { randomUUID } from 'node:crypto';
import { messageKit } from '@coppice/content';
import {
  type NodeId,
  type Read,
  type ReadProgram,
  run,
  type Store,
  type TreeId,
  textMessage,
  treeId,
} from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addSearchHits,
  addTreePickerRows,
  cycleTreePickerFilter,
  findMissingTreePickerRows,
  findNodeAtCursor,
  findNodesByText,
  loadTreePickerRows,
  moveTreePickerCursor,
  readTreePicker,
  setTreePickerSearch,
} from './tree-picker.ts';

const count = 25_000;

/** Returns a store that records all reads. */
function noteReads(store: Store, asked: Read[]): Pick<Store, 'read'> {
  function* noted<T>(reading: () => ReadProgram<T>): ReadProgram<T> {
    const program = reading();
    let step = program.next();
    while (step.done !== true) {
      asked.push(step.value);
      step = program.next(yield step.value);
    }
    return step.value;
  }
  return { read: (id, reading) => store.read(id, () => noted(reading)) };
}

describe('the picker of a large tree', () => {
  let store: Store;
  let id: TreeId;
  let added: readonly NodeId[];
  beforeAll(async () => {
    store = await openStore('memory:');
    const act = { actor: 'me', kit: messageKit, now: Date.now, newId: () => randomUUID() };
    id = treeId(randomUUID());
    await run(store, { type: 'create', treeId: id }, act);
    const say = (text: string) => ({ message: textMessage('user', text) });
    const messages = Array.from({ length: count }, (_, at) => say(at === 24_321 ? 'The needle is here' : `Turn ${at}`));
    ({ added } = (await run(store, { type: 'append', treeId: id, messages }, act)).result);
    const [fork, marked] = [added[2_999], added[5_000]];
    if (fork === undefined || marked === undefined) throw new Error('Nothing was added.');
    const aside = [say('Aside'), say('Aside ends')];
    await run(store, { type: 'append', treeId: id, parentId: fork, messages: aside, select: false }, act);
    await run(store, { type: 'bookmark', treeId: id, nodeId: marked, title: 'Half time' }, act);
  });
  afterAll(() => store.close());

  it('[O86] shows first messages, forks, ends, bookmarks and the current position, and reads only the shown rows', async () => {
    const last = added.at(-1) ?? null;
    const picker = await readTreePicker(store, id, last);
    expect(picker.nodes).toEqual([]);
    expect(findNodeAtCursor(picker)).toBe(last);
    const missing = findMissingTreePickerRows(picker, 20);
    expect(missing.length).toBe(picker.entries.length);
    const shown = addTreePickerRows(picker, await loadTreePickerRows(store, id, picker, missing));
    expect(shown.entries.map(({ preview, folded, label, current }) => [preview, folded, label, current])).toEqual([
      ['Turn 0', 0, null, false],
      ['Turn 2999', 2_998, null, false],
      ['Turn 3000', 0, null, false],
      ['Turn 5000', 1_999, 'Half time', false],
      ['Turn 24999', 19_998, null, true],
      ['Aside', 0, null, false],
      ['Aside ends', 0, null, false],
    ]);
    expect(findMissingTreePickerRows(shown, 20)).toEqual([]);
  });

  it('[O86] reads only the rows around the cursor', async () => {
    const picker = moveTreePickerCursor(await readTreePicker(store, id, null), -10);
    expect(findMissingTreePickerRows(picker, 1).length).toBe(2);
  });

  it('[O86] finds a message that no line shows, and a bookmark by its title', async () => {
    const picker = setTreePickerSearch(await readTreePicker(store, id, null), 'needle');
    const found = addSearchHits(picker, 'needle', await findNodesByText(store, id, 'needle'));
    expect(found.entries.map(({ nodeId }) => nodeId)).toEqual([added[24_321]]);
    const rows = await loadTreePickerRows(store, id, found, findMissingTreePickerRows(found, 5));
    expect(addTreePickerRows(found, rows).entries[0]?.preview).toBe('The needle is here');
    expect(setTreePickerSearch(picker, 'half').entries.map(({ label }) => label)).toEqual(['Half time']);
  });

  it('[O86] a search that nobody waits for any more ends with its page', async () => {
    let pages = 0;
    const counted: Pick<Store, 'search'> = {
      search: (query) => {
        pages++;
        return store.search(query);
      },
    };
    expect((await findNodesByText(counted, id, 'Turn')).length).toBe(1_000);
    const whole = pages;
    await findNodesByText(counted, id, 'Turn', () => false);
    expect([whole, pages - whole]).toEqual([5, 1]);
  });

  it('[O86] the first screen costs one read of parent links and rows for the lines of the screen', async () => {
    const asked: Read[] = [];
    const counted = noteReads(store, asked);
    const picker = await readTreePicker(counted, id, added.at(-1) ?? null);
    expect(asked.map(({ ask }) => ask)).toEqual(['tree', 'bookmarks', 'links', 'childIds']);
    asked.length = 0;
    const missing = findMissingTreePickerRows(picker, 2);
    expect(missing.length).toBeLessThanOrEqual(5);
    await loadTreePickerRows(counted, id, picker, missing);
    const ids = asked.flatMap((read) => ('ids' in read ? read.ids : []));
    expect(new Set(ids)).toEqual(new Set(missing));
  });

  it('[O86] filters by bookmarks', async () => {
    const picker = cycleTreePickerFilter(await readTreePicker(store, id, null));
    expect(picker.filter).toBe('labels');
    expect(picker.entries.map(({ label }) => label)).toEqual(['Half time']);
    expect(cycleTreePickerFilter(picker).filter).toBe('folded');
  });
});
