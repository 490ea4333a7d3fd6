/** Builds the JSON texts of messages from stored columns, without parsing them. */
import { type NodeId, nodeId } from '@coppice/core';
import { inTreeByIdSql } from './numbers.ts';
import { queryRows, readTextColumn, type SqlTask } from './query.ts';
import { baseOfScope, type TreeScope } from './scope.ts';

/** Returns the JSON texts of live messages by id. Unknown and removed ids are left out. */
export function* readMessageTexts(scope: TreeScope, ids: readonly NodeId[]): SqlTask<ReadonlyMap<NodeId, string>> {
  const found = yield* queryRows(
    `SELECT id, role, tool_call_id, content FROM node WHERE ${inTreeByIdSql('node')} AND removed_in IS NULL AND role <> 'root' AND id IN ${scope.dialect.list('$2')}`,
    baseOfScope(scope),
    JSON.stringify(ids),
  );
  const byId = new Map(found.map((one) => [nodeId(readTextColumn(one, 'id')), one]));
  const texts = new Map<NodeId, string>();
  for (const id of ids) {
    const one = byId.get(id);
    if (one === undefined) continue;
    const call = one['tool_call_id'] === null ? '' : `,"tool_call_id":${JSON.stringify(one['tool_call_id'])}`;
    texts.set(id, `{"role":${JSON.stringify(one['role'])},"content":${readTextColumn(one, 'content')}${call}}`);
  }
  return texts;
}
