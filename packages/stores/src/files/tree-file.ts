/** `tree.json`: the row of a tree, its root and its bookmarks, and up to where in the journal all files of it say the same. */
import type { Bookmark, ConversationFormat, Node, Tree, TreeRow } from '@coppice/core';
import { allBookmarks, findAnyNode } from '@coppice/core/tree';
import { damagedFile, newerFormat, readTextFile } from '../disk/atomic-files.ts';
import {
  decodeBookmarks,
  decodeNode,
  decodeRow,
  diskField,
  diskNumber,
  diskObject,
  diskRow,
  diskText,
  isDiskFields,
  Unreadable,
} from '../disk/decode.ts';
import { fileFingerprint } from './node-file.ts';

/** The version of the format of `tree.json` and of the node files. */
const treeFileVersion = 1;

/** What the files of a tree were written from. */
export interface TreeFileMark {
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
  readonly mark: TreeFileMark;
  /** How many node files there are, and a checksum over all of them. */
  readonly nodes: number;
  readonly fingerprint: number;
  /** Names the run of the machine that has written node files without waiting for the disk; null where all are on it. */
  readonly unsynced: string | null;
}

/** The text of `tree.json`. */
export function treeFileText(tree: Tree, rest: Omit<TreeFile, 'row' | 'root' | 'bookmarks'>): string {
  const { format, list, sequence, mark, nodes, fingerprint, unsynced } = rest;
  return fileFingerprint({
    format: 'coppice/tree-file',
    formatVersion: treeFileVersion,
    conversationFormat: format,
    ...(list ? { list } : {}),
    row: diskRow(tree),
    root: findAnyNode(tree, tree.rootId),
    bookmarks: allBookmarks(tree),
    sequence,
    journal: mark,
    nodes: { count: nodes, fingerprint, unsynced },
  });
}

/** Reads `tree.json`; null where there is none. Refuses one that cannot be read or that a newer build wrote. */
export function readTreeFile(path: string): TreeFile | null {
  const found = readTextFile(path);
  if (found === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(found);
  } catch {
    throw damagedFile(path, found === '' ? 'is empty' : 'is no JSON');
  }
  if (!isDiskFields(json) || diskField(json, 'format') !== 'coppice/tree-file')
    throw damagedFile(path, 'is no file of a tree');
  if (diskField(json, 'formatVersion') !== treeFileVersion)
    throw newerFormat(path, diskField(json, 'formatVersion'), treeFileVersion);
  try {
    const journal = diskObject(json, 'journal');
    const nodes = diskObject(json, 'nodes');
    const unsynced = diskField(nodes, 'unsynced');
    return {
      row: decodeRow(diskObject(json, 'row')),
      root: decodeNode(diskObject(json, 'root')),
      bookmarks: decodeBookmarks(json, 'bookmarks'),
      format: diskField(json, 'conversationFormat') === 'linear' ? 'linear' : 'tree',
      list: diskField(json, 'list') === true,
      sequence: diskNumber(json, 'sequence'),
      mark: { bytes: diskNumber(journal, 'bytes'), seal: diskText(journal, 'seal') },
      nodes: diskNumber(nodes, 'count'),
      fingerprint: diskNumber(nodes, 'fingerprint'),
      unsynced: typeof unsynced === 'string' ? unsynced : null,
    };
  } catch (error) {
    if (error instanceof Unreadable) throw damagedFile(path, error.message);
    throw error;
  }
}
