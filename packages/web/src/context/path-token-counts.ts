/** Adjusts the token counts of a context to the loaded path, so that a changed message needs no request. */
import { type ContextAnswer, type LoadedBranch, loadedPath } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';

/** The tokens of the loaded path. The counts of two paths can be compared only if `first` and `fixed` are equal. */
export interface PathTokenCounts {
  /** The first loaded node; null if the path is loaded from its beginning. */
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

/** Counts the messages and the tokens of the loaded path. */
export function countPathTokens(part: LoadedBranch): PathTokenCounts {
  const path = loadedPath(part);
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

/** Adjusts a response of the server to the current path; null if only the server can compute it. */
export function adjustContextSize(
  answer: ContextAnswer,
  before: PathTokenCounts,
  now: PathTokenCounts,
): ContextAnswer | null {
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
