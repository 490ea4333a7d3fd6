/** Creates temporary folders that are deleted after each test, and sample trees in them. */
import { rmSync } from 'node:fs';
import { treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterEach } from 'vitest';
import { FileSystemStore } from '../src/files/index.ts';
import { makeTemporaryFolder } from './files-subject.ts';

/** Returns a function that creates temporary folders. They are deleted after each test of the file. */
export function useTemporaryFolders(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true });
  });
  return () => {
    const made = makeTemporaryFolder();
    folders.push(made);
    return made;
  };
}

/** The id of the tree that tests damage. The other tree must stay intact. */
export const damagedTreeId = treeId(testUuid(1));
export const intactTreeId = treeId(testUuid(2));

/** Creates both sample trees in a folder, and returns the folder. */
export async function createSampleTreesIn(place: string): Promise<string> {
  const store = await FileSystemStore.open(place);
  await (await TestTree.make({ store, treeId: damagedTreeId, systemPrompt: 'Be brief.' })).addMessages([
    'first',
    'reply',
  ]);
  await (await TestTree.make({ store, treeId: intactTreeId })).addMessages(['elsewhere']);
  await store.close();
  return place;
}
