import { replySourceOf } from '@coppice/client';
import type { ReactElement } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { toExcerpt } from '../markdown/excerpt.ts';
import { modelColourOf } from '../state/model-colours.ts';
import { annotateMessage } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { authorOfContextRow, type ContextTableRow, textOfContextRow } from './context-rows.ts';

interface LineProps {
  readonly row: ContextTableRow;
  readonly most: number;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

/** A row of the context screen: role, text, tokens, and whether the model sees it. */
export function ContextRowView({ row, most, chosen, onChoose }: LineProps): ReactElement {
  const session = useSession();
  const { entry, node } = row;
  if (row.folded !== 0)
    return (
      <li className="folded">
        <span className="line-mark" />
        <span>{row.folded === null ? t('olderStaySome') : tn('olderStay', row.folded)}</span>
      </li>
    );
  const out = entry === null;
  const marker = entry !== null && entry.kind !== 'message';
  const model = node === undefined ? null : replySourceOf(node.meta).model;
  const kind =
    entry?.kind === 'system-prompt'
      ? 'seg-sys'
      : marker
        ? 'seg-sum'
        : (entry?.message.role ?? node?.role) === 'tool'
          ? 'seg-tool'
          : 'seg-msg';
  const classes = [
    marker ? 'from-marker' : '',
    (entry?.message.role ?? node?.role) === 'user' ? 'from-user' : '',
    out ? 'out' : '',
    chosen ? 'sel' : '',
  ];
  const words = toExcerpt(textOfContextRow(row), 400);
  const status = node?.status;
  return (
    <li className={classes.filter(Boolean).join(' ')}>
      <span className="line-mark">
        <i />
      </span>
      <span className={`role ${model === null ? '' : `hued ${modelColourOf(model)}`}`}>{authorOfContextRow(row)}</span>
      <button type="button" className="txt" onClick={onChoose}>
        {status === 'interrupted' || status === 'aborted' ? <b className="warn-text">{t('interrupted')} </b> : null}
        <bdi>{words.slice(0, 200)}</bdi>
      </button>
      <span className="bar2">
        <i className={kind} style={{ width: `${(row.tokens / most) * 100}%` }} />
      </span>
      <span className="tok">{formatNumber(row.tokens)}</span>
      {node === undefined || marker ? (
        <span />
      ) : (
        <IconButton
          icon={out ? 'eyeoff' : 'eye'}
          label={out ? t('include') : t('exclude')}
          aria-pressed={out}
          onClick={() =>
            void annotateMessage(session, node, { excluded: out ? null : true }, out ? t('included') : t('excluded'))
          }
        />
      )}
    </li>
  );
}
