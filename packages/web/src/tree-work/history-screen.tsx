import { toHttpProblem } from '@coppice/client';
import type { Node } from '@coppice/core';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { formatDateTime, formatTime, t } from '../i18n/index.ts';
import { useSignedIn } from '../settings/use-signed-in.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { restoreTreeVersion, showError } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { buildThreadRows } from '../thread/rows.ts';
import { BackToThreadButton } from '../thread/tree-bar.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { describeCommit, groupHistoryByAct, type HistoryAct, nameOfOtherActor, useHistory } from './history.ts';
import { PastMessage } from './past-message.tsx';

/** Shows any earlier state of a tree, and restores it. Viewing changes nothing. */
export function HistoryScreen(): ReactElement {
  const now = useTree((state) => state.base?.tree.version ?? 1);
  const [version, setVersion] = useState<number | null>(null);
  const at = version ?? now;
  const { commits, more, begins, load } = useHistory();
  // Reverting the first remaining commit gives the version before it.
  const first = begins === null ? 1 : Math.max(1, begins.version - 1);
  const nodes = usePastMessages(at);
  return (
    <main className="main alone">
      <div className="bar">
        <BackToThreadButton />
        <div className="crumb grow">
          <h1>{t('history')}</h1>
        </div>
      </div>
      <VersionBar
        at={at}
        first={first}
        now={now}
        commit={commits.find((each) => each.version === at)}
        onChange={setVersion}
      />
      <div className="past-columns">
        <nav className="act-list" aria-label={t('acts')}>
          <ActList commits={commits} at={at} onShow={setVersion} />
          {more ? (
            <Button small look="quiet" onClick={load}>
              {t('older')}
            </Button>
          ) : null}
          {begins === null || more ? null : (
            <p className="dim">{t('historyBegins', { date: formatDateTime(begins.at) })}</p>
          )}
        </nav>
        <div className="past">
          {nodes.length === 0 ? <p className="dim">{t('emptyThen')}</p> : null}
          {buildThreadRows(nodes).map((row) => (
            <PastMessage key={row.node.id} node={row.node} results={row.results} goesOn={row.goesOn} />
          ))}
        </div>
      </div>
    </main>
  );
}

// While the slider moves, not every version on the way is requested.
const readDelayMs = 80;

/** The last messages of the branch that was active at a version. */
function usePastMessages(version: number): readonly Node[] {
  const session = useSession();
  const [nodes, setNodes] = useState<readonly Node[]>([]);
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(() => {
      api
        .pageAsOf(session.treeId, version, { limit: 40 })
        .then((page) => {
          if (!stale) setNodes(page.nodes);
        })
        .catch((thrown) => {
          if (!stale) showError(toHttpProblem(thrown));
        });
    }, readDelayMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [session, version]);
  return nodes;
}

interface VersionBarProps {
  readonly at: number;
  /** The earliest version that can be shown. */
  readonly first: number;
  /** The current version of the tree. */
  readonly now: number;
  readonly commit: ReturnType<typeof useHistory>['commits'][number] | undefined;
  readonly onChange: (version: number) => void;
}

/** A slider over all versions, and the button that restores the shown one. */
function VersionBar({ at, first, now, commit, onChange }: VersionBarProps): ReactElement {
  const session = useSession();
  const restore = async () => {
    if (await restoreTreeVersion(session, at)) navigateTo(treeRoute(session.treeId));
  };
  return (
    <div className="travel">
      <div className="row">
        <b className="grow">{t('versionOf', { at, n: now })}</b>
        <span className="dim">
          {commit === undefined ? '' : `${formatDateTime(commit.at)}, ${describeCommit(commit).text}`}
        </span>
      </div>
      <input
        className="scrub"
        type="range"
        min={first}
        max={Math.max(1, now)}
        value={at}
        aria-label={t('version')}
        ref={(element) => {
          element?.style.setProperty('--share', String(now <= first ? 1 : (at - first) / (now - first)));
          element?.style.setProperty('--ticks', String(Math.max(1, Math.min(24, now - first))));
        }}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <div className="row">
        <span className="grow dim">{t('previewOnly')}</span>
        <Button small disabled={at === now} icon="undo" onClick={() => void restore()}>
          {t('restoreThis')}
        </Button>
      </div>
    </div>
  );
}

interface ActListProps {
  readonly commits: ReturnType<typeof useHistory>['commits'];
  readonly at: number;
  readonly onShow: (version: number) => void;
}

/** The acts, newest first. */
function ActList({ commits, at, onShow }: ActListProps): ReactElement {
  const acts = useMemo(() => groupHistoryByAct(commits), [commits]);
  const me = useSignedIn();
  const shown = acts.find((act) => act.version <= at)?.version;
  return (
    <ol>
      {acts.map((act) => (
        <ActRow
          key={act.version}
          act={act}
          isShown={act.version === shown}
          actor={nameOfOtherActor(act.actor, me)}
          onShow={onShow}
        />
      ))}
    </ol>
  );
}

/** An act of the history in words; a click shows the chat after it. */
function ActRow({
  act,
  isShown,
  actor,
  onShow,
}: {
  readonly act: HistoryAct;
  readonly isShown: boolean;
  /** Who did it; null if it was the user or Coppice itself. */
  readonly actor: string | null;
  readonly onShow: (version: number) => void;
}): ReactElement {
  const { icon, text } = describeCommit(act);
  return (
    <li>
      <button type="button" aria-current={isShown ? 'true' : undefined} onClick={() => onShow(act.version)}>
        <Icon name={icon} />
        <span className="grow">
          {text}
          <span className="row-detail">
            {formatTime(act.at)} {actor === null ? '' : t('byActor', { actor })}
          </span>
        </span>
      </button>
    </li>
  );
}
