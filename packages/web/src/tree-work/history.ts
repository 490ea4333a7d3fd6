/** The history for its panel and its screen. A separate module, so that each can be loaded alone. */

import type { CommitSummary, HistoryStart } from '@coppice/client';
import { useCallback, useEffect, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
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

/** Describes a commit by its kinds of steps and their counts, for example messages added and deleted. */
export function describeSteps(steps: Readonly<Record<string, number>>): string {
  const types = Object.keys(steps).filter((type) => type !== 'select');
  // A reply is inserted and then filled, which is described as one change.
  const shown = types.filter((type) => type !== 'replace' || (steps.replace ?? 0) > (steps.insert ?? 0));
  const said = shown.filter(hasName).map((type) => tn(names[type], steps[type] ?? 1));
  return said.length === 0 ? tn('didSelect', 1) : said.join(' · ');
}

/** An act in the history: its consecutive commits. */
export interface HistoryAct extends Pick<CommitSummary, 'actor' | 'at' | 'version' | 'kind' | 'steps'> {
  readonly actId: string;
}

/** Joins the commits of each act, newest first. */
export function groupHistoryByAct(commits: readonly CommitSummary[]): readonly HistoryAct[] {
  const acts: HistoryAct[] = [];
  for (const { actId, actor, at, version, kind, steps } of commits) {
    const last = acts.at(-1);
    if (last === undefined || last.actId !== actId || last.kind !== kind) {
      acts.push({ actId, actor, at, version, kind, steps });
      continue;
    }
    const joined: Record<string, number> = { ...last.steps };
    for (const [type, count] of Object.entries(steps)) joined[type] = (joined[type] ?? 0) + count;
    acts[acts.length - 1] = { ...last, at, steps: joined };
  }
  return acts;
}

/** Describes a commit or an act in a few words, with an icon. */
export function describeCommit(commit: Pick<CommitSummary, 'kind' | 'steps'>): {
  readonly icon: IconName;
  readonly text: string;
} {
  const types = Object.keys(commit.steps).filter((type) => type !== 'select');
  const main = types[0] ?? 'select';
  const text = describeSteps(commit.steps);
  if (commit.kind === 'undo') return { icon: 'undo', text: `${t('undo')}: ${text}` };
  return { icon: commit.kind === 'redo' ? 'again' : (icons[main] ?? 'edit'), text };
}

/** Returns the name of the person who acted; null for the user, until the user is known, and for Coppice itself. */
export function nameOfOtherActor(actor: string, me: { readonly id: string } | null): string | null {
  return me === null || actor === me.id || actor.startsWith('coppice:') ? null : actor;
}

/** The loaded commits of a tree, and where its history begins if older commits were deleted. */
export interface LoadedHistory {
  readonly commits: readonly CommitSummary[];
  readonly more: boolean;
  readonly begins: HistoryStart | null;
  load(): void;
}

/** Returns the newest commits of the open tree; `load` adds older ones. */
export function useHistory(): LoadedHistory {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const [commits, setCommits] = useState<readonly CommitSummary[]>([]);
  const [more, setMore] = useState(true);
  const [begins, setBegins] = useState<HistoryStart | null>(null);
  useEffect(() => {
    if (version === 0) return;
    let stale = false;
    api
      .history(session.treeId)
      .then(({ items, begins: start }) => {
        if (stale) return;
        setBegins(start);
        setCommits((now) => [...items, ...now.filter((old) => old.version < (items.at(-1)?.version ?? 0))]);
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [session, version]);
  const load = useCallback(() => {
    const last = commits.at(-1)?.version;
    if (last === undefined || last <= (begins?.version ?? 1)) return setMore(false);
    api
      .history(session.treeId, last)
      .then(({ items }) => {
        setCommits((now) => [...now, ...items]);
        if (items.length === 0) setMore(false);
      })
      .catch(() => undefined);
  }, [session, commits, begins]);
  return { commits, more: more && (commits.at(-1)?.version ?? 0) > (begins?.version ?? 1), begins, load };
}
