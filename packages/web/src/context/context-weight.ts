/** How the weight of a context follows the loaded path, so that a message that is added or changed costs no request. */
import type { Node, NodeId } from '@coppice/core';
import type { ContextAnswer } from '../state/api-types.ts';
import { type LoadedBranch, pathToNode } from '../state/loaded-branch.ts';

/** What the loaded path of a branch weighs, and what must stay the same for two weights to be comparable. */
export interface PathWeight {
  /** Where the loaded path begins; null at the root. */
  readonly first: NodeId | null;
  /** The summaries on the path and everything that the last of them replaces. */
  readonly fixed: string;
  readonly messages: number;
  readonly tools: number;
  readonly count: number;
}

function describe({ id, contentIn, tokens, meta }: Node): string {
  return `${id}:${contentIn}:${tokens}:${meta.excluded === true}`;
}

/** Weighs the loaded path. */
export function weighPath(part: LoadedBranch): PathWeight {
  const path = pathToNode(part);
  const compacted = path.findLastIndex((node) => node.kind === 'compaction');
  const fixed = path.slice(0, compacted + 1).map(describe);
  let [messages, tools, count] = [0, 0, 0];
  for (const node of path.slice(compacted + 1)) {
    if (node.kind === 'branch-summary') fixed.push(describe(node));
    if ((node.kind !== 'message' && node.kind !== 'injected') || node.meta.excluded === true) continue;
    count++;
    if (node.role === 'tool') tools += node.tokens;
    else messages += node.tokens;
  }
  return { first: part.before, fixed: fixed.join(), messages, tools, count };
}

/** An answer of the server, adjusted to what the path weighs now; null where only the server can say. */
export function adjustWeight(answer: ContextAnswer, before: PathWeight, now: PathWeight): ContextAnswer | null {
  if (before.first !== now.first || before.fixed !== now.fixed) return null;
  const messages = now.messages - before.messages;
  const tools = now.tools - before.tools;
  return {
    ...answer,
    tokens: answer.tokens + messages + tools,
    count: answer.count + now.count - before.count,
    shares: {
      ...answer.shares,
      messages: answer.shares.messages + messages,
      tools: answer.shares.tools + tools,
    },
  };
}
