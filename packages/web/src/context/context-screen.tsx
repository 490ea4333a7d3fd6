import { type TreeSession, toHttpProblem } from '@coppice/client';
import { Fragment, type ReactElement, useEffect, useMemo, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { ActionButton } from '../keys/action-controls.tsx';
import { api } from '../state/page-client.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { BackToThreadButton, BranchCrumb } from '../thread/tree-bar.tsx';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { ContextRowView } from './context-row-view.tsx';
import { buildContextRows, type ContextTableRow } from './context-rows.ts';
import { ContextWindowBar } from './context-window-bar.tsx';
import { ExcludedMessages } from './excluded-messages.tsx';
import { SentMessagePanel } from './sent-messages.tsx';
import { isEntryOnEveryPage, useNextContext } from './use-next-context.ts';

// The size of the first page; more are loaded on demand.
const pageSize = 100;

/** Copies the complete request, including messages that are not loaded. */
async function copyRequest(session: TreeSession, model: string | null): Promise<void> {
  try {
    const nodeId = session.state.part?.leaf ?? null;
    const { entries } = await api.context(session.treeId, { nodeId, model });
    const whole = JSON.stringify(
      entries.map((entry) => entry.message),
      null,
      2,
    );
    if (await copyText(whole)) showToast({ icon: 'copy', text: t('copied') });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Shows exactly what a model gets with the next call, message by message, and how full its context window is. */
export function ContextScreen(): ReactElement {
  const session = useSession();
  const { answer, model, more } = useNextContext(pageSize);
  const [chosen, setChosen] = useState<string | null>(null);
  const part = useTree((state) => state.part);
  const rows = useMemo(() => (answer === null || part === null ? [] : buildContextRows(answer, part)), [answer, part]);
  const above = answer === null || answer.before === null ? 0 : answer.count - answer.entries.length;
  const ready = useTree((state) => state.phase === 'ready');
  // The topology has the sizes of the other branches, which the list of excluded messages shows.
  useEffect(() => {
    if (ready) void session.loadTopology();
  }, [session, ready]);
  const shown =
    rows.find((row) => row.key === chosen) ?? rows.find((row) => row.entry?.kind === 'summary') ?? rows.at(-1);
  return (
    <main className="main alone">
      <div className="bar">
        <BackToThreadButton />
        <div className="crumb grow">
          <h1>{t('whatModelSees')}</h1>
          <BranchCrumb />
        </div>
        {model === null ? null : (
          <span className="desk-only">
            <ModelName model={model} />
          </span>
        )}
        <Button className="desk-only" look="quiet" small icon="copy" onClick={() => void copyRequest(session, model)}>
          {t('copyRequest')}
        </Button>
        <ActionButton id="compact" small />
      </div>
      <div className="ctx">
        <div className="column-main">
          {answer === null ? <p className="hint">{t('weighing')}</p> : <ContextWindowBar answer={answer} />}
          <ContextList rows={rows} shown={shown} above={above} onMore={more} onChoose={(row) => setChosen(row.key)} />
          <ExcludedMessages rows={rows} />
        </div>
        {shown === undefined ? null : <SentMessagePanel row={shown} />}
      </div>
    </main>
  );
}

interface ContextListProps {
  readonly rows: readonly ContextTableRow[];
  readonly shown: ContextTableRow | undefined;
  /** The number of messages that are not loaded yet. */
  readonly above: number;
  readonly onMore: () => void;
  readonly onChoose: (row: ContextTableRow) => void;
}

/** The messages of the next call. Those that are not loaded yet are one line below the system prompt and the summary. */
function ContextList({ rows, shown, above, onMore, onChoose }: ContextListProps): ReactElement {
  const most = useMemo(() => rows.reduce((high, row) => Math.max(high, row.tokens), 1), [rows]);
  const firstOfPage = rows.findIndex((row) => row.entry !== null && !isEntryOnEveryPage(row.entry));
  return (
    <ol className="ctxlist" aria-label={t('messagesSent')}>
      {rows.map((row, index) => (
        <Fragment key={row.key}>
          {above > 0 && index === firstOfPage ? (
            <li className="folded">
              <span className="line-mark" />
              <Button small look="quiet" onClick={onMore}>
                {tn('showEarlier', above)}
              </Button>
            </li>
          ) : null}
          <ContextRowView row={row} most={most} chosen={row === shown} onChoose={() => onChoose(row)} />
        </Fragment>
      ))}
    </ol>
  );
}
