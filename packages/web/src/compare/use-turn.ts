import type { Topology } from '@coppice/client';
import { isToolUse, type Message, type Node, type NodeId, type TopologyNode } from '@coppice/core';
import { useEffect, useMemo, useState } from 'react';
import { api } from '../state/page-client.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { buildThreadRows, type ThreadRow } from '../thread/rows.ts';

// Further messages of a turn are left out of the comparison.
const mostMessages = 40;

/** Finds the nodes after a reply in the same turn: tool results and further replies. */
export function findRestOfTurn(topology: Topology, node: Node | undefined): readonly TopologyNode[] {
  const rest: TopologyNode[] = [];
  if (node === undefined) return rest;
  const calls = (message: Node['message']) => message?.content.some((block) => isToolUse(block)) === true;
  if (!calls(node.message)) return rest;
  for (let at: NodeId = node.id; rest.length < mostMessages; ) {
    const next = topology.children(at).at(-1);
    const afterTool = rest.at(-1)?.role === 'tool';
    if (next === undefined || (next.role !== 'tool' && !(next.role === 'assistant' && afterTool))) break;
    rest.push(next);
    at = next.id;
  }
  return rest;
}

function withMessage(like: Node, { id, parentId, role, tokens }: TopologyNode, message: Message): Node {
  return { ...like, id, parentId, role, tokens, message, meta: {}, status: 'success' };
}

/** A reply with the rest of its turn, as rows of a thread: each call with its result. */
export function useTurnRows(node: Node | undefined): readonly ThreadRow[] {
  const session = useSession();
  const stamp = useTree((state) => state.stamp);
  const topology = useTree((state) => state.topology);
  const [read, setRead] = useState<Readonly<Record<string, Message>>>({});
  // The topology is a mutable object; its stamp changes with it.
  const rest = useMemo(
    () => (topology === null || stamp < 0 ? [] : findRestOfTurn(topology, node)),
    [topology, stamp, node],
  );
  const ids = rest.map((each) => each.id).join(',');
  useEffect(() => {
    if (ids === '') return;
    let stale = false;
    api
      .contents(
        session.treeId,
        rest.map((each) => each.id),
      )
      .then(({ messages }) => {
        if (!stale) setRead(messages);
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [session, ids, rest]);
  return useMemo(() => {
    if (node === undefined) return [];
    const nodes = rest.flatMap((each) => {
      const message = Object.hasOwn(read, each.id) ? read[each.id] : undefined;
      return message === undefined ? [] : [withMessage(node, each, message)];
    });
    return buildThreadRows([node, ...nodes]);
  }, [node, rest, read]);
}
