import type { NodeMeta } from '@coppice/core';

/** Whether a tool result is a failure: as imports mark it, or as Coppice's own tools do. */
export function isFailedToolResult(meta: NodeMeta): boolean {
  return meta.isError === true || (meta.source?.type === 'tool_result' && typeof meta.source.error === 'string');
}
