import { type TreeId, treeId } from '@coppice/core';
import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { treeRoute } from '../state/router.ts';
import { useTree } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { agentsApi, type SubAgents } from './agents-api.ts';

// The largest number of named sub-agents; the page of recorded work lists all.
const mostNamed = 8;

/** Links above the thread of a session: to the session that spawned it, and to its sub-agents; else nothing. */
export function SubAgentLinks(): ReactElement | null {
  const id = useTree((state) => state.part?.tree.id ?? null);
  // Links are requested only for recorded and imported sessions, which have a tag or metadata about their source.
  const isSession = useTree((state) => isAgentSession(state.part?.tree));
  const version = useTree((state) => (isSession ? (state.part?.tree.version ?? 0) : 0));
  const links = useSubAgents(isSession ? id : null, version);
  if (links === null || (links.spawnedBy === null && links.agents.length === 0)) return null;
  return (
    <nav className="sub-agents" aria-label={t('subAgents')}>
      {links.spawnedBy === null ? null : (
        <span>
          {t('subAgentOf')}{' '}
          <PageLink to={treeRoute(treeId(links.spawnedBy.treeId))}>
            <bdi>{links.spawnedBy.title ?? t('untitled')}</bdi>
          </PageLink>
        </span>
      )}
      {links.agents.slice(0, mostNamed).map((agent) => (
        <PageLink key={agent.treeId} to={treeRoute(treeId(agent.treeId))}>
          <Icon name="fork" />
          {agent.title ?? t('subAgent')}
        </PageLink>
      ))}
      {links.agents.length > mostNamed ? <PageLink to={{ name: 'agents' }}>…</PageLink> : null}
    </nav>
  );
}

function isAgentSession(tree: { readonly tags?: readonly string[]; readonly metadata?: unknown } | undefined): boolean {
  if (tree === undefined) return false;
  if (tree.tags?.includes('recorded') === true) return true;
  const { metadata } = tree;
  return typeof metadata === 'object' && metadata !== null && ('spawnedBy' in metadata || 'imported' in metadata);
}

/** Loads the sub-agents of a session and its parent; null until the answer arrives, and without a tree. */
function useSubAgents(tree: TreeId | null, version: number): SubAgents | null {
  const [links, setLinks] = useState<{ readonly of: TreeId; readonly found: SubAgents } | null>(null);
  useEffect(() => {
    if (tree === null || version < 0) return undefined;
    let stale = false;
    agentsApi.subAgents(tree).then(
      (found) => {
        if (!stale) setLinks({ of: tree, found });
      },
      // The thread itself reports that the server does not respond.
      () => undefined,
    );
    return () => {
      stale = true;
    };
  }, [tree, version]);
  return links !== null && links.of === tree ? links.found : null;
}
