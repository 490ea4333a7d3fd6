/** `tree.json`: the row of a tree, its root and its bookmarks, and up to where in the journal all files of it say the same. */
import {
  allBookmarks,
  type Bookmark,
  type ConversationFormat,
  findAnyNode,
  type Node,
  type Tree,
  type TreeRow,
} from '@coppice/core';
import {
  field,
  isFields,
  number,
  object,
  readBookmarks,
  readNode,
  readRow,
  rowOf,
  text,
  Unreadable,
} from '../disk/decode.ts';
import { damaged, newer, readText } from '../disk/whole-files.ts';
import { print } from './node-file.ts';

/** The version of the format of `tree.json` and of the node files. */
const treeFileVersion = 1;

/** What the files of a tree were written from. */
export interface Mark {
  /** How long the journal was. */
  readonly bytes: number;
  /** The end of its last line. */
  readonly seal: string;
}

/** What `tree.json` says. */
export interface TreeFile {
  readonly row: TreeRow;
  readonly root: Node;
  readonly bookmarks: readonly Bookmark[];
  readonly format: ConversationFormat;
  /** Whether there is no commit yet and the tree is read from a list. */
  readonly list: boolean;
  readonly sequence: number;
  readonly mark: Mark;
  /** How many node files there are, and a checksum over all of them. */
  readonly nodes: number;
  readonly fingerprint: number;
  /** Names the run of the machine that has written node files without waiting for the disk; null where all are on it. */
  readonly unsynced: string | null;
}

/** The text of `tree.json`. */
export function treeFileText(tree: Tree, rest: Omit<TreeFile, 'row' | 'root' | 'bookmarks'>): string {
  const { format, list, sequence, mark, nodes, fingerprint, unsynced } = rest;
  return print({
    format: 'coppice/tree-file',
    formatVersion: treeFileVersion,
    conversationFormat: format,
    ...(list ? { list } : {}),
    row: rowOf(tree),
    root: findAnyNode(tree, tree.rootId),
    bookmarks: allBookmarks(tree),
    sequence,
    journal: mark,
    nodes: { count: nodes, fingerprint, unsynced },
  });
}

/** Reads `tree.json`; null where there is none. Refuses one that cannot be read or that a newer build wrote. */
export function readTreeFile(path: string): TreeFile | null {
  const found = readText(path);
  if (found === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(found);
  } catch {
    throw damaged(path, found === '' ? 'is empty' : 'is no JSON');
  }
  if (!isFields(json) || field(json, 'format') !== 'coppice/tree-file') throw damaged(path, 'is no file of a tree');
  if (field(json, 'formatVersion') !== treeFileVersion)
    throw newer(path, field(json, 'formatVersion'), treeFileVersion);
  try {
    const journal = object(json, 'journal');
    const nodes = object(json, 'nodes');
    const unsynced = field(nodes, 'unsynced');
    return {
      row: readRow(object(json, 'row')),
      root: readNode(object(json, 'root')),
      bookmarks: readBookmarks(json, 'bookmarks'),
      format: field(json, 'conversationFormat') === 'linear' ? 'linear' : 'tree',
      list: field(json, 'list') === true,
      sequence: number(json, 'sequence'),
      mark: { bytes: number(journal, 'bytes'), seal: text(journal, 'seal') },
      nodes: number(nodes, 'count'),
      fingerprint: number(nodes, 'fingerprint'),
      unsynced: typeof unsynced === 'string' ? unsynced : null,
    };
  } catch (error) {
    if (error instanceof Unreadable) throw damaged(path, error.message);
    throw error;
  }
}
