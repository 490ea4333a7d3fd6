// Maps ids of a session file to ids of its tree. UUIDs are kept, and other ids are derived, so that every reader of the
// file finds the same nodes.
import { isUuid, type NodeId, nodeId, type TreeId, treeId } from '@coppice/core';
import { deriveId } from '../derive-id.ts';

/** Returns the id of a session's tree from the id in its header. */
export function deriveSessionTreeId(id: string): TreeId {
  return treeId(isUuid(id) ? id : deriveId('session-tree', id));
}

/** Returns the id of an entry's node; `session` is the id in the header. */
export function deriveSessionNodeId(session: string, uuid: string): NodeId {
  return nodeId(isUuid(uuid) ? uuid : deriveId('session', session, uuid));
}
