import type { NodeMeta } from '@coppice/core';

/** Whether the result of a tool tells of a failure: as imports note it, or as the tools of this project do. */
export function isFailure(meta: NodeMeta): boolean {
  return meta.isError === true || (meta.source?.type === 'tool_result' && typeof meta.source.error === 'string');
}
