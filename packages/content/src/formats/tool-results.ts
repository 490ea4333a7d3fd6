import type { NodeMeta } from '@coppice/core';

/** Whether a tool result is a failure, as marked by an import or by Coppice's own tools. */
export function isFailedToolResult(meta: NodeMeta): boolean {
  return meta.isError === true || (meta.source?.type === 'tool_result' && typeof meta.source.error === 'string');
}
