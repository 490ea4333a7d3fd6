/**
 * Maps the ids in a session file to the ids of nodes. An id that is a UUID is also the node id; from any other id, the
 * node id is derived.
 */
import { deriveSessionNodeId, isSideEntryType, type SessionFile } from '@coppice/content/sessions';
import { type ExternalId, isUuid, nodeId, type TreeId } from '@coppice/core';

/** Maps the ids in one session file to node ids and back. */
export class SessionEntryIds {
  readonly #scope: string;
  readonly #toFile = new Map<string, string>();
  #read = 0;

  constructor(scope: string) {
    this.#scope = scope;
  }

  readonly toNode = (fileId: string): string => deriveSessionNodeId(this.#scope, fileId);

  readonly toFile = (node: string): string => this.#toFile.get(node) ?? node;

  /** Whether the ids in the file are also the node ids. */
  get areIdsOfNodes(): boolean {
    return this.#toFile.size === 0;
  }

  /** Adds the ids of all lines that were read since the last call. */
  take(file: SessionFile): void {
    for (; this.#read < file.size; this.#read++) {
      const uuid = file.uuidAt(this.#read);
      if (!isUuid(uuid) && !isSideEntryType(file.typeAt(this.#read))) this.#toFile.set(this.toNode(uuid), uuid);
    }
  }

  /** Returns the ids in the file that differ from the node ids, as external ids. */
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
