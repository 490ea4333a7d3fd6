import { type DeleteImpactAnswer, toHttpProblem } from '@coppice/client';
import type { Node } from '@coppice/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { toExcerpt } from '../markdown/excerpt.ts';
import { api } from '../state/page-client.ts';
import { removeMessages, showError } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { plainTextOf } from '../thread/rows.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

type DeleteMode = 'splice' | 'cascade' | 'group';
type Impacts = Readonly<Record<DeleteMode, DeleteImpactAnswer | null>>;

/** Asks what to delete. Each choice has a drawing and the exact number of messages; the button repeats the number. */
export function DeleteDialog({ node, onClose }: { readonly node: Node; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const [mode, setMode] = useState<DeleteMode>('splice');
  const impacts = useImpacts(node);
  const modes: readonly DeleteMode[] =
    node.groupId > 0 && (impacts.group?.count ?? 2) > 1 ? ['splice', 'cascade', 'group'] : ['splice', 'cascade'];
  const count = impacts[mode]?.count ?? 1;
  const pending = (impacts[mode]?.pending?.length ?? 0) > 0;
  const words = toExcerpt(plainTextOf(node.message), 32);
  // The button shows the number, so it is disabled until that is known.
  const ready = impacts[mode] !== null && !pending;
  const gone = useRef(false);
  const go = () => {
    // A second click while the dialog closes would be refused, and the error would replace the undo toast.
    if (gone.current) return;
    gone.current = true;
    onClose();
    void removeMessages(session, node, mode, count);
  };
  return (
    <Dialog
      title={words === '' ? t('deleteMessage') : t('deleteWords', { words })}
      onClose={onClose}
      className="delete-dialog"
    >
      {/* Enter on a choice submits, as in any form: a delete can be undone. */}
      <div
        role="radiogroup"
        aria-label={t('whatIsDeleted')}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !ready) return;
          event.preventDefault();
          go();
        }}
      >
        {modes.map((each) => (
          <DeleteChoice
            key={each}
            mode={each}
            impact={impacts[each]}
            after={Math.max(0, (impacts.cascade?.count ?? 1) - 1)}
            chosen={each === mode}
            onChoose={() => setMode(each)}
          />
        ))}
      </div>
      {pending ? <p className="hint warn-text">{t('stillWriting')}</p> : null}
      {(impacts[mode]?.shares ?? 0) > 0 ? (
        <p className="hint warn-text">{tn('sharesPoint', impacts[mode]?.shares ?? 0)}</p>
      ) : null}
      <div className="row foot-row">
        <span className="grow dim">{t('keptInTrash')}</span>
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="danger" icon="trash" disabled={!ready} onClick={go}>
          {tn('deleteN', count)}
        </Button>
      </div>
    </Dialog>
  );
}

/** What each choice would delete; null until the server has answered. */
function useImpacts(node: Node): Impacts {
  const session = useSession();
  const [impacts, setImpacts] = useState<Impacts>({ splice: null, cascade: null, group: null });
  useEffect(() => {
    const modes: readonly DeleteMode[] = node.groupId > 0 ? ['splice', 'cascade', 'group'] : ['splice', 'cascade'];
    // After the dialog is closed a refusal is ignored: the message may be deleted by then.
    let isOpen = true;
    for (const each of modes)
      api
        .impact(session.treeId, node.id, each)
        .then((impact) => setImpacts((now) => ({ ...now, [each]: impact })))
        .catch((thrown) => {
          if (isOpen) showError(toHttpProblem(thrown));
        });
    return () => {
      isOpen = false;
    };
  }, [session, node]);
  return impacts;
}

interface ChoiceProps {
  readonly mode: DeleteMode;
  readonly impact: DeleteImpactAnswer | null;
  readonly after: number;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function DeleteChoice({ mode, impact, after, chosen, onChoose }: ChoiceProps): ReactElement {
  const marks = impact?.bookmarks?.length ?? 0;
  const said =
    mode === 'splice'
      ? `${t('deletesOne')} ${after > 0 ? tn('restStays', after) : ''}`
      : mode === 'cascade'
        ? `${tn('messages', impact?.count ?? 1)}${marks > 0 ? `, ${tn('bookmarksGo', marks)}` : ''}.`
        : `${tn('deletesMany', impact?.count ?? 1)} ${t('laterMessagesStay')}`;
  return (
    <label className={chosen ? 'pickrow on' : 'pickrow'}>
      <input type="radio" className="radio" name="mode" checked={chosen} onChange={onChoose} />
      <DeleteDrawing mode={mode} />
      <span>
        <b>{t(mode === 'splice' ? 'onlyThis' : mode === 'cascade' ? 'andAfter' : 'wholeGroup')}</b>
        <span>{said}</span>
      </span>
    </label>
  );
}

function DeleteDrawing({ mode }: { readonly mode: DeleteMode }): ReactElement {
  if (mode === 'splice')
    return (
      <svg width="62" height="44" aria-hidden="true">
        <path className="active-line" d="M31 42V4" />
        <circle className="xc" cx="31" cy="22" r="4.5" />
        <path d="M31 34C31 28 48 30 48 20" />
      </svg>
    );
  if (mode === 'cascade')
    return (
      <svg width="62" height="44" aria-hidden="true">
        <path className="active-line" d="M31 42V30" />
        <path className="removed-line" d="M31 30V4M31 16C31 10 20 12 20 4" />
        <circle className="xc" cx="31" cy="22" r="4.5" />
        <path d="M31 34C31 28 48 30 48 20" />
      </svg>
    );
  return (
    <svg width="62" height="44" aria-hidden="true">
      <path className="active-line" d="M31 42V30" />
      <path d="M31 22V4" />
      <path className="removed-line" d="M31 34C31 26 15 30 15 20M31 34C31 26 47 30 47 20M31 32V24" />
      <circle className="xc" cx="15" cy="18" r="4" />
      <circle className="xc" cx="31" cy="21" r="4" />
      <circle className="xc" cx="47" cy="18" r="4" />
    </svg>
  );
}
