/** Finds the completion candidates of a command line, for shells. */
import { existsSync } from 'node:fs';
import { ask, type Store } from '@coppice/core';
import { previewOf } from '@coppice/core/tree';
import type { CliContext } from './cli-context.ts';
import { listInstalledDocuments } from './documents.ts';
import { addTitlesFromFirstWords } from './first-words.ts';
import { titleOrUntitled } from './printing.ts';
import { findTree, lastTreeName } from './resolve-target.ts';
import { createIdShortener } from './short-ids.ts';
import type { Subcommand, SubcommandArgument, SubcommandOption } from './subcommands/contract.ts';
import { toOneLine } from './terminal/strip-control-sequences.ts';

/** A completion candidate with its description. */
export interface CompletionCandidate {
  readonly value: string;
  readonly about: string;
}

const most = 60;

interface CompletionLine {
  readonly member: Subcommand;
  /** What the current word can be completed with: trees, nodes, models, documents, files or fixed words. */
  readonly completes: SubcommandArgument['completes'];
  /** The tree that the words before the current one name. */
  readonly tree: string | undefined;
  readonly store: string | undefined;
  readonly owner: string | undefined;
}

/** Separates arguments from options and their values. Bash also splits words at `:` and `=`. */
function readCandidates(words: readonly string[], members: readonly Subcommand[]): CompletionLine | null {
  const given = new Map<string, string>();
  const plain: string[] = [];
  let member: Subcommand | undefined;
  let asked: SubcommandOption | undefined;
  for (const [at, word] of words.slice(0, -1).entries()) {
    if (word === ':' || word === '=' || words[at - 1] === ':' || words[at - 1] === '=') {
      const last = [...given.keys()].at(-1);
      if (last !== undefined) given.set(last, `${given.get(last)}${word}`);
      continue;
    }
    if (asked !== undefined) {
      given.set(asked.name, word);
      asked = undefined;
    } else if (word.startsWith('-')) {
      const option = optionsOf(member).find(({ name, short }) => word === `--${name}` || word === `-${short ?? ''}`);
      if (option?.value !== undefined) asked = option;
    } else if (member === undefined) {
      member = members.find(({ name }) => name === word);
      if (member === undefined) return null;
    } else plain.push(word);
  }
  if (member === undefined) return null;
  const taken = member.arguments ?? [];
  const next = taken[plain.length] ?? (taken.at(-1)?.many === true ? taken.at(-1) : undefined);
  const treeAt = taken.findIndex(({ completes }) => completes === 'tree');
  return {
    member,
    completes: asked === undefined ? next?.completes : asked.completes,
    tree: given.get('tree') ?? plain[treeAt],
    store: given.get('store'),
    owner: given.get('owner'),
  };
}

const everywhere: readonly SubcommandOption[] = [
  { name: 'store', value: 'url', summary: '' },
  { name: 'server', value: 'url', summary: '' },
  { name: 'owner', value: 'name', summary: '' },
];

function optionsOf(member: Subcommand | undefined): readonly SubcommandOption[] {
  return [...(member?.options ?? []), ...everywhere];
}

/** Returns the completion candidates of the last word; empty if they cannot be determined. */
export async function findCompletionCandidates(
  words: readonly string[],
  members: readonly Subcommand[],
  at: CliContext,
): Promise<readonly CompletionCandidate[]> {
  const line = readCandidates(words, members);
  const begun = words.at(-1) ?? '';
  if (line === null || line.completes === undefined || line.completes === 'file') return [];
  const found = await candidatesFor(line, line.completes, at);
  return found.flatMap((each) => completeWith(each, begun)).slice(0, most);
}

async function candidatesFor(
  line: CompletionLine,
  completes: Exclude<CompletionLine['completes'], undefined | 'file'>,
  at: CliContext,
): Promise<readonly StoredCandidate[]> {
  if (typeof completes === 'object') return completes.map((value) => ({ value, about: '' }));
  switch (completes) {
    case 'model':
      return modelCandidates(at);
    case 'document':
      return listInstalledDocuments().map(({ name, title }) => ({ value: name, about: title }));
    default:
      return storedCandidates(line, completes, at);
  }
}

/** Returns the models that are ready, as far as they are known: completing a word calls no model server. */
async function modelCandidates(at: CliContext): Promise<readonly StoredCandidate[]> {
  const providers = await at.models();
  return providers
    .list()
    .filter(({ ready }) => ready)
    .map(({ id, label }) => ({ value: id, about: id.endsWith(label) ? '' : label }));
}

/** Completes a word with the listed short id, or with the whole id if the user has begun to type the whole id. */
function completeWith({ value, about, id }: StoredCandidate, begun: string): readonly CompletionCandidate[] {
  if (value.startsWith(begun)) return [{ value, about }];
  return id?.startsWith(begun) === true ? [{ value: id, about }] : [];
}

/** A candidate. `id` is the whole id if the value is a shortened id. */
interface StoredCandidate extends CompletionCandidate {
  readonly id?: string;
}

async function storedCandidates(
  line: CompletionLine,
  what: 'tree' | 'node',
  at: CliContext,
): Promise<readonly StoredCandidate[]> {
  // If the environment names a server, the chats of that server are completed, unless the line names a store.
  if (at.options.server !== undefined && line.store === undefined)
    return what === 'tree' ? treeCandidates(await at.store()) : nodeCandidates(at, line.tree ?? lastTreeName);
  const url = line.store ?? (await at.storeUrl());
  const [, place] = /^(?:sqlite|files|jsonl):(.*)$/s.exec(url) ?? [];
  // Completing a word must not create a store.
  if (place !== undefined && !existsSync(place)) return [];
  const there = at.on(url, line.owner);
  return what === 'tree' ? treeCandidates(await there.store()) : nodeCandidates(there, line.tree ?? lastTreeName);
}

async function treeCandidates(store: Store): Promise<readonly StoredCandidate[]> {
  const items = await addTitlesFromFirstWords(store, (await store.trees({ limit: most })).items);
  const [newest] = items;
  const last = newest === undefined ? [] : [{ value: lastTreeName, about: toOneLine(titleOrUntitled(newest), 50) }];
  const short = createIdShortener(items.map(({ id }) => id));
  return [
    ...last,
    ...items.map((row) => ({ value: short(row.id), id: row.id, about: toOneLine(titleOrUntitled(row), 50) })),
  ];
}

async function nodeCandidates(at: CliContext, tree: string): Promise<readonly StoredCandidate[]> {
  const store = await at.store();
  const row = await findTree(at, tree);
  const { path, leaves, marks } = await store.read(row.id, function* () {
    const { activeNodeId, rootId } = row;
    return {
      path: activeNodeId === null ? [] : (yield* ask('path', { to: activeNodeId, limit: most })).nodes,
      leaves: yield* ask('leaves', { limit: most }),
      marks: (yield* ask('subtreeInfo', { of: rootId })).bookmarks,
    };
  });
  const previews = new Map([...path].reverse().map((node) => [node.id, toOneLine(previewOf(node, 1), 50)]));
  for (const node of leaves) previews.set(node.id, toOneLine(previewOf(node, 0), 50));
  const short = createIdShortener([...previews.keys()]);
  return [
    { value: '@', about: 'where you are' },
    { value: 'root', about: 'the beginning' },
    // A shell would split a value with a space.
    ...marks.filter(({ title }) => !/\s/.test(title)).map(({ title }) => ({ value: title, about: 'bookmark' })),
    ...[...previews].map(([id, about]) => ({ value: short(id), id, about })),
  ];
}
