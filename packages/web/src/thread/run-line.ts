import { nodeId, treeId } from '@coppice/core';
import { complain } from '../state/acts.ts';
import { api } from '../state/client.ts';
import { asProblem } from '../state/http.ts';
import { go, treePlace } from '../state/router.ts';
import type { TreeSession } from '../state/session.ts';
import { say } from '../state/toasts.ts';

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}

function said(answer: unknown): string | null {
  for (const key of ['said', 'message', 'text', 'output']) {
    const value = field(answer, key) ?? field(field(answer, 'result'), key);
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(' ');
  }
  return null;
}

/** Runs a slash command where the view is. False where it was refused, so that the line can be put back. */
export async function runLine(session: TreeSession, line: string): Promise<boolean> {
  try {
    const answer = await api.command(session.treeId, line);
    const elsewhere = field(answer, 'treeId') ?? field(field(answer, 'result'), 'treeId');
    if (typeof elsewhere === 'string' && elsewhere !== session.treeId) go(treePlace(treeId(elsewhere)));
    else {
      const active = field(answer, 'activeNodeId');
      await session.refresh(typeof active === 'string' ? nodeId(active) : undefined);
    }
    const words = said(answer);
    if (words !== null) say({ icon: 'check', text: words });
    return true;
  } catch (thrown) {
    complain(asProblem(thrown));
    return false;
  }
}
