import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { computeMessagePosition } from './layout.ts';
import type { MapModel } from './use-map.ts';
import type { BranchDrag } from './use-pointer.ts';
import type { MapView } from './view.ts';

/** A branch being dragged: a line from its parent to the target, and a text that says what dropping does. */
export function DragLine({
  model,
  view,
  drag,
}: {
  readonly model: MapModel;
  readonly view: MapView;
  readonly drag: BranchDrag;
}): ReactElement | null {
  const place = (id: BranchDrag['from']) => {
    const spot = model.layout.spots.get(id);
    if (spot === undefined) return null;
    const { x, y } = computeMessagePosition(model.layout, spot.branch, spot.at);
    return { x: x * view.kx + view.tx, y: y * view.ky + view.ty };
  };
  const from = place(drag.from);
  if (from === null) return null;
  const onto = drag.over === null ? null : place(drag.over);
  const { x, y } = onto ?? drag;
  const bend = (from.y + y) / 2;
  const words = drag.over === null ? '' : (model.topology.nodes.get(drag.over)?.preview ?? '').slice(0, 40);
  return (
    <>
      <svg className={drag.fits ? 'drag-line fits' : 'drag-line'} aria-hidden="true">
        <path d={`M${from.x} ${from.y}C${from.x} ${bend} ${x} ${bend} ${x} ${y}`} />
        {onto === null ? <circle cx={x} cy={y} r={4} /> : <circle cx={x} cy={y} r={12} />}
      </svg>
      <p className="drag-words" role="status" style={{ left: drag.x + 18, top: drag.y + 14 }}>
        {drag.over === null ? t('dragToMove') : drag.fits ? t('hangBelow', { words }) : t('ownBranch')}
      </p>
    </>
  );
}
