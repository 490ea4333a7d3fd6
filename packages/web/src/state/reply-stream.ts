import type { NodeId, TreeId } from '@coppice/core';
import { at } from './client.ts';
import { addressOf } from './http.ts';
import type { PageClient } from './page-client.ts';

interface Piece {
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
  const source = client.openEvents(addressOf(`${at(tree)}/nodes/${node}/stream`, { offset }));
  const heard = (event: Event) => {
    if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return;
    const piece: Piece = JSON.parse(event.data);
    if (typeof piece.offset === 'number' && typeof piece.text === 'string') listener.text(piece.offset, piece.text);
    if (event.type === 'end' || event.type === 'error' || piece.type === 'end' || piece.type === 'error') {
      source.close();
      listener.end();
    }
  };
  for (const name of ['message', 'text-delta', 'delta', 'end', 'error']) source.addEventListener(name, heard);
  return { close: () => source.close() };
}
