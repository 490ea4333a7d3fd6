import type { NodeId, TreeId } from '@coppice/core';
import { treePath } from './client.ts';
import { apiAddress } from './http.ts';
import type { PageClient } from './page-client.ts';

interface StreamPiece {
  readonly type: string;
  readonly offset?: number;
  readonly text?: string;
}

/** Follows one reply from an offset on, whoever writes it. */
export function openReplyStream(
  client: PageClient,
  tree: TreeId,
  node: NodeId,
  offset: number,
  listener: { text(offset: number, text: string): void; end(): void },
): { close(): void } {
  const source = client.openEvents(apiAddress(`${treePath(tree)}/nodes/${node}/stream`, { offset }));
  const applyFeedCommit = (event: Event) => {
    if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return;
    const piece: StreamPiece = JSON.parse(event.data);
    if (typeof piece.offset === 'number' && typeof piece.text === 'string') listener.text(piece.offset, piece.text);
    if (event.type === 'end' || event.type === 'error' || piece.type === 'end' || piece.type === 'error') {
      source.close();
      listener.end();
    }
  };
  for (const name of ['message', 'text-delta', 'delta', 'end', 'error']) source.addEventListener(name, applyFeedCommit);
  return { close: () => source.close() };
}
