/** Ids of a file and ids of the tree: the same where the file has UUIDs, else derived ones that are always the same. */
import { isSideEntry, type SessionFile, sessionNodeId } from '@coppice/content/sessions';
import { type ExternalId, isUuid, nodeId, type TreeId } from '@coppice/core';

/** The names of one session's entries. */
export class FileNames {
  readonly #scope: string;
  readonly #toFile = new Map<string, string>();
  #read = 0;

  constructor(scope: string) {
    this.#scope = scope;
  }

  /** The node that an id of the file stands for. */
  readonly toNode = (fileId: string): string => sessionNodeId(this.#scope, fileId);

  /** The id in the file of a node. */
  readonly toFile = (node: string): string => this.#toFile.get(node) ?? node;

  /** Takes in the names of the lines that are new. */
  take(file: SessionFile): void {
    for (; this.#read < file.size; this.#read++) {
      const uuid = file.uuidAt(this.#read);
      if (!isUuid(uuid) && !isSideEntry(file.typeAt(this.#read))) this.#toFile.set(this.toNode(uuid), uuid);
    }
  }

  /** The names that differ, as a store keeps them. */
  externalIds(of: TreeId): ExternalId[] {
    return [...this.#toFile].map(([node, id]) => ({
      treeId: of,
      nodeId: nodeId(node),
      format: 'session',
      scope: this.#scope,
      id,
    }));
  }
}
