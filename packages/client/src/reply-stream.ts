import type { NodeId, TreeId } from '@coppice/core';
import { fieldsOrEmpty } from '@coppice/core/decode';
import { treeApiPath } from './api/request.ts';
import { type Connection, followEvents } from './connection.ts';
import { buildApiUrl } from './http.ts';

/** Follows the text of one reply from an offset. When it reconnects, it continues after the last received text. */
export function openReplyStream(
  connection: Connection,
  tree: TreeId,
  node: NodeId,
  offset: number,
  listener: { text(offset: number, text: string): void; end(): void },
): { close(): void } {
  let at = offset;
  const stream = followEvents(connection, {
    path: () => buildApiUrl(`${treeApiPath(tree)}/nodes/${node}/stream`, { offset: at }),
    whileHidden: () => true,
    event(name, data) {
      const piece = fieldsOrEmpty(data);
      if (typeof piece.offset === 'number' && typeof piece.text === 'string') {
        listener.text(piece.offset, piece.text);
        at = Math.max(at, piece.offset + piece.text.length);
      }
      if (name === 'end' || name === 'error' || piece.type === 'end' || piece.type === 'error') finish();
    },
    isOver(problem) {
      // An error other than an unreachable server means that the stream is gone, because the reply is complete.
      const over = problem !== null && !problem.offline;
      if (over) finish();
      return over;
    },
  });
  const finish = () => {
    stream.close();
    listener.end();
  };
  return { close: () => stream.close() };
}
