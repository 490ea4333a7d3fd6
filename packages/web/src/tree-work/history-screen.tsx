import { asProblem } from '@coppice/client';
import type { Node } from '@coppice/core';
import { type ReactElement, useEffect, useState } from 'react';
import { formatDateTime, t } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treePlace } from '../state/router.ts';
import { restoreTreeVersion, showError } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { threadRows } from '../thread/rows.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { describeCommit, useHistory } from './history.ts';
import { PastMessage } from './past-message.tsx';

/** Shows any earlier state of a tree, and restores it. Viewing changes nothing. */
export function HistoryScreen(): ReactElement {
  const session = useSession();
  const now = useTree((state) => state.base?.tree.version ?? 1);
  const { commits } = useHistory();
  const [version, setVersion] = useState<number | null>(null);
  const [nodes, setNodes] = useState<readonly Node[]>([]);
  const at = version ?? now;
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(() => {
      api
        .pageAsOf(session.treeId, at, { limit: 40 })
        .then((page) => {
          if (!stale) setNodes(page.nodes);
        })
        .catch((thrown) => {
          if (!stale) showError(asProblem(thrown));
        });
    }, 80);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [session, at]);
  const commit = commits.find((each) => each.version === at);
  return (
    <main className="main alone">
      <div className="bar">
        <IconButton
          icon="left"
          label={`${t('backToThread')} (Esc)`}
          onClick={() => navigateTo(treePlace(session.treeId))}
        />
        <div className="crumb grow">
          <h1>{t('history')}</h1>
        </div>
      </div>
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
          min={1}
          max={Math.max(1, now)}
          value={at}
          aria-label={t('version')}
          ref={(element) => {
            element?.style.setProperty('--share', String(now < 2 ? 1 : (at - 1) / (now - 1)));
            element?.style.setProperty('--ticks', String(Math.max(1, Math.min(24, now - 1))));
          }}
          onChange={(event) => setVersion(Number(event.target.value))}
        />
        <div className="row">
          <span className="grow dim">{t('previewOnly')}</span>
          <Button
            small
            disabled={at === now}
            icon="undo"
            onClick={() =>
              void restoreTreeVersion(session, at).then((done) => {
                if (done) navigateTo(treePlace(session.treeId));
              })
            }
          >
            {t('restoreThis')}
          </Button>
        </div>
      </div>
      <div className="scroll">
        <div className="past">
          {nodes.length === 0 ? <p className="dim">{t('emptyThen')}</p> : null}
          {threadRows(nodes).map((row) => (
            <PastMessage key={row.node.id} node={row.node} results={row.results} goesOn={row.goesOn} />
          ))}
        </div>
      </div>
    </main>
  );
}
