import type { TreeId } from '@coppice/core';
import { at } from './client.ts';
import { addressOf } from './http.ts';
import type { Approval, Delta, FeedCommit } from './wire.ts';

/** What a follower of a tree is told. */
export interface FeedListener {
  commit(commit: FeedCommit): void;
  delta(delta: Delta): void;
  approval(approval: Approval): void;
  /** Somebody decided about a call. */
  decided(callId: string): void;
  /** The version that was waited for is of another past. */
  reset(): void;
  connected(connected: boolean): void;
}

function dataOf<T>(event: Event): T | null {
  if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return null;
  const value: T = JSON.parse(event.data);
  return value;
}

/**
 * Follows the commits of a tree after a version. A tab that nobody sees lets go of its connection, because a browser has
 * six for all its tabs; when it is looked at again it goes on where it was.
 */
export function openFeed(tree: TreeId, since: number, listener: FeedListener): { close(): void } {
  let last = since;
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    clearTimeout(timer);
    source?.close();
    const opened = new EventSource(addressOf(`${at(tree)}/feed`, { since: last }));
    source = opened;
    opened.addEventListener('open', () => listener.connected(true));
    opened.addEventListener('commit', (event) => {
      const commit = dataOf<FeedCommit>(event);
      if (commit === null) return;
      last = Math.max(last, commit.version);
      listener.commit(commit);
    });
    opened.addEventListener('delta', (event) => {
      const delta = dataOf<Delta>(event);
      if (delta !== null) listener.delta(delta);
    });
    opened.addEventListener('approval', (event) => {
      const approval = dataOf<Approval>(event);
      if (approval !== null) listener.approval(approval);
    });
    opened.addEventListener('approval-end', (event) => {
      const ended = dataOf<{ readonly callId: string }>(event);
      if (ended !== null) listener.decided(ended.callId);
    });
    opened.addEventListener('reset', (event) => {
      last = dataOf<{ readonly version: number }>(event)?.version ?? 0;
      listener.reset();
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      listener.connected(false);
      // A stream that the server ended for good is not opened again by the browser.
      if (opened.readyState === EventSource.CLOSED) timer = setTimeout(connect, 2000);
    });
  };
  const seen = () => {
    if (document.visibilityState === 'visible') {
      if (source === null) connect();
      return;
    }
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  connect();
  document.addEventListener('visibilitychange', seen);
  return {
    close() {
      document.removeEventListener('visibilitychange', seen);
      clearTimeout(timer);
      source?.close();
    },
  };
}
