import type { NodeId } from '@coppice/core';
import { type ReactElement, useMemo, useState } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { nameOfMessage } from '../markdown/message-name.ts';
import { Icon } from '../ui/icon.tsx';
import type { MapModel } from './use-map.ts';

interface BranchListProps {
  readonly model: MapModel;
  readonly onPick: (id: NodeId) => void;
  readonly onShow: (id: NodeId) => void;
}

const shownAtFirst = 5;
const most = 60;

/** The branches by name: the current one, then bookmarked ones, then the longest. */
export function BranchList({ model, onPick, onShow }: BranchListProps): ReactElement {
  const [all, setAll] = useState(false);
  const branches = useMemo(() => {
    const found = model.layout.branches.flatMap((branch) => {
      const tip = branch.nodes.at(-1);
      if (tip === undefined) return [];
      const mark = branch.nodes.findLast((node) => model.topology.bookmarks.has(node.id));
      const named = mark === undefined ? undefined : model.topology.bookmarks.get(mark.id)?.title;
      const title = named ?? nameOfMessage(tip.preview, tip.status);
      return [
        {
          id: tip.id,
          title,
          size: branch.nodes.length,
          marked: mark !== undefined,
          here: tip.id === model.leaf,
          status: tip.status,
        },
      ];
    });
    return found.sort(
      (a, b) => Number(b.here) - Number(a.here) || Number(b.marked) - Number(a.marked) || b.size - a.size,
    );
  }, [model]);
  const shown = branches.slice(0, all ? most : shownAtFirst);
  return (
    <nav className={all ? 'branches all' : 'branches'} aria-label={t('branchesName')}>
      <div className="sect">
        <span>{t('branchesName')}</span>
        <span className="num">{tn('messages', model.topology.nodes.size)}</span>
      </div>
      {shown.map((branch) => (
        <button
          key={branch.id}
          type="button"
          className={branch.here ? 'on' : undefined}
          onClick={() => onPick(branch.id)}
          onFocus={() => onShow(branch.id)}
          onPointerEnter={() => onShow(branch.id)}
        >
          <span className="sw" />
          <span className="grow clip" dir="auto">
            {branch.title}
          </span>
          {branch.marked ? <Icon name="markon" /> : null}
          {branch.status === 'interrupted' || branch.status === 'aborted' ? <Icon name="cut" /> : null}
          <span className="count">{formatNumber(branch.size)}</span>
        </button>
      ))}
      {branches.length > shownAtFirst ? (
        <button type="button" className="rest" aria-expanded={all} onClick={() => setAll(!all)}>
          <span className="sw none" />
          <span className="grow">{all ? t('fewer') : tn('moreBranches', branches.length - shownAtFirst)}</span>
          <Icon name="down" />
        </button>
      ) : null}
    </nav>
  );
}
