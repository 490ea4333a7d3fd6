import type { NodeId, TreeId } from '@coppice/core';
import type { ApprovalData, FeedCommit, ReplyDelta } from './api-types.ts';
import { treePath } from './client.ts';
import { apiAddress } from './http.ts';
import { closedChannel, type EventChannel, eventData, type PageClient } from './page-client.ts';

/** What a turn reports beside its commits and its text: what the model thinks, and which tools it calls. */
export interface TurnReport {
  readonly actId: string;
  readonly type: string;
  readonly nodeId?: NodeId;
  readonly callId?: string;
  readonly name?: string;
  readonly parameters?: unknown;
  readonly text?: string;
}

/** Callbacks for the events of a tree's feed. */
export interface FeedListener {
  commit(commit: FeedCommit): void;
  delta(delta: ReplyDelta): void;
  turn(report: TurnReport): void;
  approval(approval: ApprovalData): void;
  /** Somebody decided about a call. */
  decided(callId: string): void;
  /** The version that was waited for is of another past. */
  reset(): void;
  connected(connected: boolean): void;
}

const reconnectMs = 2000;

/**
 * Follows the commits of a tree after a version. A hidden tab closes its connection, because a browser has six for all
 * its tabs; when it is shown again it continues after the last commit it received.
 */
export function openFeed(client: PageClient, tree: TreeId, since: number, listener: FeedListener): { close(): void } {
  let last = since;
  let source: EventChannel | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    clearTimeout(timer);
    source?.close();
    const opened = client.openEvents(apiAddress(`${treePath(tree)}/feed`, { since: last }));
    source = opened;
    const on = <T>(name: string, run: (data: T) => void) =>
      opened.addEventListener(name, (event) => {
        const data = eventData<T>(event);
        if (data !== null) run(data);
      });
    opened.addEventListener('open', () => listener.connected(true));
    on<FeedCommit>('commit', (commit) => {
      last = Math.max(last, commit.version);
      listener.commit(commit);
    });
    on<ReplyDelta>('delta', (delta) => listener.delta(delta));
    on<TurnReport>('turn', (report) => listener.turn(report));
    on<ApprovalData>('approval', (approval) => listener.approval(approval));
    on<{ readonly callId: string }>('approval-end', ({ callId }) => listener.decided(callId));
    on<{ readonly version: number }>('reset', ({ version }) => {
      last = version;
      listener.reset();
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      listener.connected(false);
      // A browser does not reopen a stream that the server closed for good.
      if (opened.readyState === closedChannel) timer = setTimeout(connect, reconnectMs);
    });
  };
  const stopWatching = client.onVisibilityChange(() => {
    if (client.isVisible()) {
      if (source === null) connect();
      return;
    }
    clearTimeout(timer);
    source?.close();
    source = null;
  });
  connect();
  return {
    close() {
      stopWatching();
      clearTimeout(timer);
      source?.close();
    },
  };
}
