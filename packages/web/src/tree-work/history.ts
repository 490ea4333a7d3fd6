/** The history for its panel and its screen. A separate module, so that each can be loaded alone. */

import type { CommitSummary } from '@coppice/client';
import { useCallback, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { useSession, useTree } from '../state/use-session.ts';
import type { IconName } from '../ui/icon.tsx';

const icons: Readonly<Record<string, IconName>> = {
  insert: 'plus',
  remove: 'trash',
  restore: 'undo',
  move: 'map',
  replace: 'edit',
  annotate: 'edit',
  bookmark: 'mark',
  select: 'fork',
  attributes: 'tag',
  regroup: 'compare',
};
const names = {
  insert: 'didInsert',
  remove: 'didRemove',
  restore: 'didRestore',
  move: 'didMove',
  replace: 'didReplace',
  annotate: 'didAnnotate',
  bookmark: 'didBookmark',
  select: 'didSelect',
  attributes: 'didAttributes',
  regroup: 'didRegroup',
} as const;

function hasName(type: string): type is keyof typeof names {
  return Object.hasOwn(names, type);
}

/** A short description of a commit. */
export function describeCommit(commit: CommitSummary): { readonly icon: IconName; readonly text: string } {
  const types = Object.keys(commit.steps).filter((type) => type !== 'select');
  const main = types[0] ?? 'select';
  const said = types.filter(hasName).map((type) => t(names[type], { n: commit.steps[type] ?? 1 }));
  const text = said.length === 0 ? t('didSelect', { n: 1 }) : said.join(', ');
  if (commit.kind === 'undo') return { icon: 'undo', text: `${t('undo')}: ${text}` };
  return { icon: commit.kind === 'redo' ? 'again' : (icons[main] ?? 'edit'), text };
}

/** The newest commits of a tree; loads older ones on demand. */
export function useHistory(): { readonly commits: readonly CommitSummary[]; readonly more: boolean; load(): void } {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const [commits, setCommits] = useState<readonly CommitSummary[]>([]);
  const [more, setMore] = useState(true);
  useEffect(() => {
    if (version === 0) return;
    let stale = false;
    api
      .history(session.treeId)
      .then(({ items }) => {
        if (!stale) setCommits((now) => [...items, ...now.filter((old) => old.version < (items.at(-1)?.version ?? 0))]);
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [session, version]);
  const load = useCallback(() => {
    const last = commits.at(-1)?.version;
    if (last === undefined || last <= 1) return setMore(false);
    api
      .history(session.treeId, last)
      .then(({ items }) => {
        setCommits((now) => [...now, ...items]);
        if (items.length === 0) setMore(false);
      })
      .catch(() => undefined);
  }, [session, commits]);
  return { commits, more: more && (commits.at(-1)?.version ?? 0) > 1, load };
}
