/**
 * Reads and writes `tree.json`: the row of a tree, its root and bookmarks, and where the journal ended when the files
 * were written.
 */
import type { Bookmark, ConversationFormat, Node, Tree, TreeRow } from '@coppice/core';
import {
  finiteNumberField,
  isFieldMap,
  MalformedError,
  objectField,
  ownField,
  requiredText,
} from '@coppice/core/decode';
import { allBookmarks, findAnyNode, rowOf } from '@coppice/core/tree';
import { makeDamagedFileError, makeNewerFormatError, readJsonFile } from '../disk/atomic-files.ts';
import { decodeBookmarks, decodeNode, decodeTreeRow, describeUnreadable } from '../disk/decode.ts';
import { toReadableJson } from './node-file.ts';

const treeFileVersion = 1;

/** The end of the journal when the files were written. If the journal ends differently, the files are outdated. */
export interface JournalEndMark {
  readonly bytes: number;
  /** The checksum of the last bytes of the journal. */
  readonly seal: string;
}

/** The content of `tree.json`, without the tree's nodes. */
export interface TreeFile {
  readonly row: TreeRow;
  readonly root: Node;
  readonly bookmarks: readonly Bookmark[];
  readonly format: ConversationFormat;
  readonly sequence: number;
  readonly mark: JournalEndMark;
  /** The number of node files; `fingerprint` is the checksum over all of them. */
  readonly nodes: number;
  readonly fingerprint: number;
  /** The boot id of the machine if node files were written without sync; null if all are synced. */
  readonly unsynced: string | null;
}

export function formatTreeFile(tree: Tree, rest: Omit<TreeFile, 'row' | 'root' | 'bookmarks'>): string {
  const { format, sequence, mark, nodes, fingerprint, unsynced } = rest;
  return toReadableJson({
    format: 'coppice/tree-file',
    formatVersion: treeFileVersion,
    conversationFormat: format,
    row: rowOf(tree),
    root: findAnyNode(tree, tree.rootId),
    bookmarks: allBookmarks(tree),
    sequence,
    journal: mark,
    nodes: { count: nodes, fingerprint, unsynced },
  });
}

/** Reads `tree.json`; returns null if it does not exist. Throws if it is unreadable or a newer version wrote it. */
export function readTreeFile(path: string): TreeFile | null {
  const json = readJsonFile(path);
  if (json === undefined) return null;
  if (!isFieldMap(json) || ownField(json, 'format') !== 'coppice/tree-file')
    throw makeDamagedFileError(path, 'is not a tree file');
  if (ownField(json, 'formatVersion') !== treeFileVersion)
    throw makeNewerFormatError(path, ownField(json, 'formatVersion'), treeFileVersion);
  try {
    const journal = objectField(json, 'journal');
    const nodes = objectField(json, 'nodes');
    const unsynced = ownField(nodes, 'unsynced');
    return {
      row: decodeTreeRow(objectField(json, 'row')),
      root: decodeNode(objectField(json, 'root')),
      bookmarks: decodeBookmarks(json, 'bookmarks'),
      format: ownField(json, 'conversationFormat') === 'linear' ? 'linear' : 'tree',
      sequence: finiteNumberField(json, 'sequence'),
      mark: { bytes: finiteNumberField(journal, 'bytes'), seal: requiredText(journal, 'seal') },
      nodes: finiteNumberField(nodes, 'count'),
      fingerprint: finiteNumberField(nodes, 'fingerprint'),
      unsynced: typeof unsynced === 'string' ? unsynced : null,
    };
  } catch (error) {
    if (error instanceof MalformedError) throw makeDamagedFileError(path, describeUnreadable(error));
    throw error;
  }
}
