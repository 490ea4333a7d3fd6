import type { NodeId, TreeId } from '@coppice/core';
import { treeApiPath } from './api/request.ts';
import type { FeedCommit, ReplyDelta, WaitingApproval } from './api-types.ts';
import { type Connection, followEvents } from './connection.ts';
import { buildApiUrl, type HttpProblem } from './http.ts';

/** An event of a turn that is neither a commit nor text: thinking, tool calls and retries. */
export interface TurnReport {
  readonly actId: string;
  readonly type: string;
  readonly nodeId?: NodeId;
  readonly callId?: string;
  readonly name?: string;
  readonly parameters?: unknown;
  readonly text?: string;
  /**
   * The fields of a retry: the error of the provider, the number of the retry, the largest number of retries, and the
   * waiting time.
   */
  readonly code?: string;
  readonly message?: string;
  readonly attempt?: number;
  readonly retries?: number;
  readonly waitMs?: number;
}

/** The events of a tree's feed, by name. */
interface FeedEvents {
  readonly commit: FeedCommit;
  readonly delta: ReplyDelta;
  readonly turn: TurnReport;
  readonly approval: WaitingApproval;
  readonly 'approval-end': { readonly callId: string };
  readonly reset: { readonly version: number };
}

/** Callbacks for the events of a tree's feed. */
export interface FeedCallbacks {
  commit(commit: FeedCommit): void;
  delta(delta: ReplyDelta): void;
  turn(report: TurnReport): void;
  approval(approval: WaitingApproval): void;
  /** Called when a tool call was approved or rejected. */
  decided(callId: string): void;
  /** Called when the server no longer has the commits after the requested version. The tree has to be read again. */
  reset(): void;
  connected(connected: boolean): void;
  /** Whether the feed stays open while the app is hidden. */
  neededWhileHidden(): boolean;
  /** Called when the tree no longer exists for this user. The feed ends then. */
  missing(problem: HttpProblem): void;
}

type FeedEvent = {
  readonly [Name in keyof FeedEvents]: { readonly name: Name; readonly data: FeedEvents[Name] };
}[keyof FeedEvents];

/** Assigns the type of an event without checking the data. The client trusts the server, as for every response. */
function asFeedEvent(name: string, data: unknown): FeedEvent;
function asFeedEvent(name: string, data: unknown): { readonly name: string; readonly data: unknown } {
  return { name, data };
}

/** Follows the commits of a tree after a version. When it reconnects, it continues after the last received commit. */
export function openFeed(
  connection: Connection,
  tree: TreeId,
  since: number,
  listener: FeedCallbacks,
): { close(): void } {
  let last = since;
  return followEvents(connection, {
    path: () => buildApiUrl(`${treeApiPath(tree)}/feed`, { since: last }),
    connected: (connected) => listener.connected(connected),
    whileHidden: () => listener.neededWhileHidden(),
    isOver(problem) {
      if (problem?.status !== 404) return false;
      listener.missing(problem);
      return true;
    },
    event(eventName, eventData) {
      const { name, data } = asFeedEvent(eventName, eventData);
      switch (name) {
        case 'commit':
          last = Math.max(last, data.version);
          listener.commit(data);
          break;
        case 'delta':
          listener.delta(data);
          break;
        case 'turn':
          listener.turn(data);
          break;
        case 'approval':
          listener.approval(data);
          break;
        case 'approval-end':
          listener.decided(data.callId);
          break;
        case 'reset':
          last = data.version;
          listener.reset();
          break;
        default:
          break;
      }
    },
  });
}
