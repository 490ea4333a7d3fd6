// Ids of a session file and ids of the tree that it is: the same where the file has UUIDs, else derived ones that are
// always the same, so that whoever reads the file finds the same nodes.
import { isUuid, type NodeId, nodeId, type TreeId, treeId } from '@coppice/core';
import { derivedId } from '../derived-id.ts';

/** The id of the tree that a session is, by the id in its header. */
export function sessionTreeId(id: string): TreeId {
  return treeId(isUuid(id) ? id : derivedId('session-tree', id));
}

/** The id of the node that an entry is; `session` is the id in the header. */
export function sessionNodeId(session: string, uuid: string): NodeId {
  return nodeId(isUuid(uuid) ? uuid : derivedId('session', session, uuid));
}
