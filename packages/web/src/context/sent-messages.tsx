import { type Node, textMessage } from '@coppice/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../keys/action-controls.tsx';
import { saveEditedMessage } from '../state/edit-message.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { annotateMessage, undoCompaction } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { useScrollable } from '../ui/use-scrollable.ts';
import { authorOfContextRow, type ContextTableRow } from './context-rows.ts';

// Longer texts are cut here; the thread shows them completely.
const mostShown = 40_000;

/** One message exactly as it is sent, and its actions. */
export function SentMessagePanel({ row }: { readonly row: ContextTableRow }): ReactElement {
  const session = useSession();
  const [editing, setEditing] = useState<string | null>(null);
  const { entry, node } = row;
  const before = node?.marker?.tokensBefore;
  return (
    <aside className="column-side" aria-label={t('asSent')}>
      <div className="row sent-head">
        <b className="grow strong">{authorOfContextRow(row)}</b>
        {before === undefined ? null : (
          <span className="dim num">{t('tokensFromTo', { from: before, to: row.tokens })}</span>
        )}
        {node === undefined ? null : (
          <Button
            small
            look="quiet"
            onClick={() => {
              navigateTo(treeRoute(session.treeId));
              session.scrollTo(node.id);
            }}
          >
            {t('open')}
          </Button>
        )}
      </div>
      {node !== undefined && editing === row.key ? (
        <SummaryEditor node={node} onDone={() => setEditing(null)} />
      ) : (
        <SentText row={row} onEdit={() => setEditing(row.key)} />
      )}
      {entry?.kind === 'summary' && node !== undefined ? (
        <div className="plan">
          <h3>{t('undoCompaction')}</h3>
          <p>{t('undoCompactionHint')}</p>
          <div className="row">
            <Button small icon="undo" onClick={() => void undoCompaction(session, node)}>
              {t('undoCompaction')}
            </Button>
          </div>
        </div>
      ) : (
        <div className="plan">
          <h3>{t('ifCompact')}</h3>
          <p>{t('compactHint')}</p>
          <div className="row">
            <ActionButton id="compact" small look="primary" />
          </div>
        </div>
      )}
    </aside>
  );
}

interface SentTextProps {
  readonly row: ContextTableRow;
  readonly onEdit: () => void;
}

/** The JSON of a sent message, or the text of an excluded one. Summaries can be edited, other messages excluded. */
function SentText({ row: { entry, node }, onEdit }: SentTextProps): ReactElement {
  const session = useSession();
  const scrolls = useScrollable<HTMLPreElement>();
  const isSummary = entry !== null && (entry.kind === 'summary' || entry.kind === 'branch-summary');
  const out = entry === null;
  const text = out ? (node?.text ?? '') : JSON.stringify(entry.message, null, 2);
  return (
    <>
      <b className="strong">{out ? t('leftOut') : t('asSent')}</b>
      <pre className="sent" ref={scrolls} dir="auto">
        {text.slice(0, mostShown)}
      </pre>
      {node === undefined ? null : (
        <div className="row sent-acts">
          {isSummary ? (
            <Button small icon="edit" onClick={onEdit}>
              {t('editSummary')}
            </Button>
          ) : (
            <Button
              small
              icon={out ? 'eye' : 'eyeoff'}
              onClick={() =>
                void annotateMessage(
                  session,
                  node,
                  { excluded: out ? null : true },
                  out ? t('included') : t('excluded'),
                )
              }
            >
              {out ? t('include') : t('exclude')}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Edits the text of a summary: people can correct what a model left out or made up. */
function SummaryEditor({ node, onDone }: { readonly node: Node; readonly onDone: () => void }): ReactElement {
  const session = useSession();
  const [text, setText] = useState(node.text);
  const [seen] = useState(() => ({ node, version: session.version }));
  const [busy, setBusy] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  // The user opened the editor to type.
  useEffect(() => area.current?.focus(), []);
  const save = async () => {
    setBusy(true);
    const role = node.message?.role ?? 'user';
    const id = await saveEditedMessage(session, seen, textMessage(role, text).content, 'in-place');
    setBusy(false);
    if (id !== null) onDone();
  };
  return (
    <div className="summary-editor">
      <textarea
        className="field area"
        rows={12}
        aria-label={t('summary')}
        value={text}
        ref={area}
        readOnly={busy}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row foot-row">
        <Button small disabled={busy} onClick={onDone}>
          {t('cancel')}
        </Button>
        <Button small look="primary" disabled={busy || text.trim() === ''} onClick={() => void save()}>
          {t('save')}
        </Button>
      </div>
    </div>
  );
}
