import type { TreeId } from '@coppice/core';
import { at } from './client.ts';
import { addressOf } from './http.ts';
import type { Approval, Delta, FeedCommit } from './wire.ts';

/** What a follower of a tree is told. */
export interface FeedListener {
  commit(commit: FeedCommit): void;
  delta(delta: Delta): void;
  approval(approval: Approval): void;
  /** The version that was waited for is of another past. */
  reset(): void;
  connected(connected: boolean): void;
}

function dataOf<T>(event: Event): T | null {
  if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return null;
  const value: T = JSON.parse(event.data);
  return value;
}

/** Follows the commits of a tree after a version. The browser connects again by itself and says what it has seen. */
export function openFeed(tree: TreeId, since: number, listener: FeedListener): { close(): void } {
  let last = since;
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  const connect = () => {
    source = new EventSource(addressOf(`${at(tree)}/feed`, { since: last }));
    source.addEventListener('open', () => listener.connected(true));
    source.addEventListener('commit', (event) => {
      const commit = dataOf<FeedCommit>(event);
      if (commit === null) return;
      last = Math.max(last, commit.version);
      listener.commit(commit);
    });
    source.addEventListener('delta', (event) => {
      const delta = dataOf<Delta>(event);
      if (delta !== null) listener.delta(delta);
    });
    source.addEventListener('approval', (event) => {
      const approval = dataOf<Approval>(event);
      if (approval !== null) listener.approval(approval);
    });
    source.addEventListener('reset', (event) => {
      last = dataOf<{ readonly version: number }>(event)?.version ?? 0;
      listener.reset();
    });
    source.addEventListener('error', () => {
      listener.connected(false);
      // A stream that the server ended for good is not opened again by the browser.
      if (source?.readyState === EventSource.CLOSED && !closed) timer = setTimeout(connect, 2000);
    });
  };
  connect();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}
