/** Imports fixture files into a reference store, and exports the stored trees. */
import {
  type Commit,
  type ExternalId,
  isAppError,
  run,
  type Tree,
  type TreeId,
  textMessage,
  treeId,
} from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import { expect } from 'vitest';
import { messageKit } from '../../kit.ts';
import { joinBytes } from '../bytes.ts';
import type { ExportedTree, Format } from '../contract.ts';
import { decodeUtf8, encodeUtf8 } from '../decode.ts';
import { readExportedTree } from '../exporting.ts';
import type { ExportReport, ImportFinding } from '../findings.ts';
import { type ImportInput, wrapBytesAsFile } from '../input.ts';
import { readImport } from '../read.ts';
import type { RepairedTree } from '../repair.ts';
import { toImportCommand } from '../to-command.ts';
import { writeExport } from '../write.ts';

/** Files by name, as text or bytes. */
export type FixtureFiles = { readonly [name: string]: string | Uint8Array };
/** The store after an import, and everything that the import reported. */
export interface StoredImport {
  readonly store: ReferenceStore;
  readonly trees: readonly RepairedTree[];
  readonly ids: readonly TreeId[];
  readonly names: readonly ExternalId[];
  readonly findings: readonly ImportFinding[];
  readonly commits: readonly Commit[];
}

/** Returns the bytes of a fixture file. */
export const encodeFixtureFile = (file: string | Uint8Array) => (typeof file === 'string' ? encodeUtf8(file) : file);

/** Converts files to an input that streams pieces of the given size. */
export function toImportInput(files: FixtureFiles, piece?: number): ImportInput {
  return { files: Object.entries(files).map(([name, file]) => wrapBytesAsFile(name, encodeFixtureFile(file), piece)) };
}

/** Imports an input into a store, one commit per conversation. */
export async function importIntoStore(
  input: ImportInput,
  options: { readonly format?: string | Format; readonly scope?: string; readonly store?: ReferenceStore } = {},
): Promise<StoredImport> {
  const { store = new ReferenceStore(), ...reading } = options;
  const env = createTestClock();
  const trees: RepairedTree[] = [];
  const ids: TreeId[] = [];
  const names: ExternalId[] = [];
  const findings: ImportFinding[] = [];
  const commits: Commit[] = [];
  let format = '';
  for await (const event of readImport(input, reading)) {
    if (event.type === 'format') format = event.format.name;
    if (event.type === 'finding') findings.push(event.finding);
    if (event.type !== 'tree') continue;
    trees.push(event.tree);
    for (const found of event.tree.findings) findings.push(found);
    const act = { actor: 'me', kit: messageKit, ...env };
    const own = toImportCommand(event.tree, format, store.owner);
    // The ids of a restored tree may be taken; then the tree gets new ids.
    const outcome = await run(store, own.command, act).catch((error: unknown) => {
      if (event.tree.restores === undefined || !isAppError(error) || error.code !== 'id/taken') throw error;
      return null;
    });
    const incoming = outcome === null ? toImportCommand(event.tree, format, store.owner, true) : own;
    const { commit } = outcome ?? (await run(store, incoming.command, act));
    if (commit !== null) commits.push(commit);
    ids.push(incoming.command.treeId);
    for (const one of incoming.names) names.push(one);
  }
  return { store, trees, ids, names, findings, commits };
}

/** The first conversation of an import, and a function that finds its nodes by their ids in the source. */
export interface FirstStoredTree {
  readonly stored: StoredImport;
  readonly id: TreeId;
  readonly tree: RepairedTree;
  readonly of: (externalId: string) => RepairedTree['nodes'][number] | undefined;
}

/** Imports files into a new store, and returns the first conversation. Throws if the files contain no conversation. */
export async function readFirstTree(files: FixtureFiles): Promise<FirstStoredTree> {
  const stored = await importIntoStore(toImportInput(files));
  const [tree] = stored.trees;
  const [id] = stored.ids;
  if (tree === undefined || id === undefined) throw new Error('There is no tree.');
  return { stored, id, tree, of: (externalId) => tree.nodes.find((one) => one.externalId === externalId) };
}

/** Returns a stored tree; throws if it does not exist. */
export function readStoredTree({ store }: Pick<StoredImport, 'store'>, id: TreeId): Tree {
  const tree = store.tree(id);
  if (tree === undefined) throw new Error(`There is no tree ${id}.`);
  return tree;
}

/** Exports stored trees in a format and returns the written texts by file name. */
export async function exportStoredTrees(
  stored: Pick<StoredImport, 'store' | 'ids' | 'names'>,
  format: Format,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly report: ExportReport }> {
  async function* trees(): AsyncGenerator<ExportedTree> {
    for (const id of new Set(stored.ids)) {
      const own = stored.names.filter((one) => one.treeId === id);
      yield await stored.store.read(id, () => readExportedTree(id, own));
    }
  }
  const files = new Map<string, string>();
  let name = '';
  let pieces: Uint8Array[] = [];
  let report: ExportReport | undefined;
  const close = () => {
    if (name !== '') files.set(name, decodeUtf8(joinBytes(pieces)).text);
    pieces = [];
  };
  for await (const event of writeExport(format, trees(), { now: 1_790_000_000_000 })) {
    if (event.type === 'file') {
      close();
      name = event.name;
      expect(files.has(name)).toBe(false);
    } else if (event.type === 'text') pieces.push(encodeUtf8(event.text));
    else if (event.type === 'bytes') pieces.push(event.bytes);
    else report = event.report;
  }
  close();
  if (report === undefined) throw new Error('There was no report.');
  return { files, report };
}

/** Builds a tree with two branches, a system prompt and a bookmark in a new store. */
export async function createBranchedTree(): Promise<Pick<StoredImport, 'store' | 'ids' | 'names'>> {
  const store = new ReferenceStore();
  const env = createTestClock();
  const act = { actor: 'me', kit: messageKit, ...env };
  const id = treeId('00000000-0000-7000-8000-00000000abcd');
  await run(store, { type: 'create', treeId: id, attributes: { title: 'Trees', systemPrompt: 'Be brief.' } }, act);
  const say = (role: 'user' | 'assistant', text: string) => ({ message: textMessage(role, text) });
  const first = await run(
    store,
    {
      type: 'append',
      treeId: id,
      messages: [say('user', 'How old is the oak?'), say('assistant', 'Three hundred years.')],
    },
    act,
  );
  await run(
    store,
    { type: 'append', treeId: id, messages: [say('user', 'Who says so?'), say('assistant', 'The rings.')] },
    act,
  );
  await run(
    store,
    {
      type: 'append',
      treeId: id,
      parentId: first.result.nodeId,
      messages: [say('user', 'And the ash?'), say('assistant', 'Half of that.')],
    },
    act,
  );
  await run(store, { type: 'bookmark', treeId: id, nodeId: first.result.nodeId, title: 'Age' }, act);
  return { store, ids: [id], names: [] };
}
