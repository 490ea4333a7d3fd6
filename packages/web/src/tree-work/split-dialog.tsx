import { type Node, textOf } from '@coppice/core';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { splitShownMessage } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { findNearestSplitPoint, findSplitPoints, suggestSplitPoint } from './split-points.ts';

/** Returns the offset in the text at a point of the page; null if the point is outside of the text. */
function offsetAt(box: HTMLElement, x: number, y: number): number | null {
  const caret = document.caretPositionFromPoint?.(x, y);
  if (caret === null || caret === undefined || !box.contains(caret.offsetNode)) return null;
  const range = document.createRange();
  range.setStart(box, 0);
  range.setEnd(caret.offsetNode, caret.offset);
  return range.toString().length;
}

/** Chooses where to split a message: by a click in the text, or by moving the split word by word. */
export function SplitDialog({ node, onClose }: { readonly node: Node; readonly onClose: () => void }): ReactElement {
  const session = useSession();
  const text = node.message === null ? '' : textOf(node.message);
  const places = useMemo(() => findSplitPoints(text), [text]);
  const [at, setAt] = useState(() => suggestSplitPoint(text, places));
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const place = places[at] ?? 0;
  const words = text.slice(0, place).trim().split(/\s+/).slice(-4).join(' ');
  useEffect(() => {
    const element = box.current;
    // A click in the text moves the split. Keyboard and screen reader users have the slider below.
    const press = (event: MouseEvent) => {
      const offset = element === null ? null : offsetAt(element, event.clientX, event.clientY);
      if (offset !== null) setAt(findNearestSplitPoint(places, offset));
    };
    element?.addEventListener('click', press);
    element?.querySelector('.split-cut')?.scrollIntoView({ block: 'center' });
    return () => element?.removeEventListener('click', press);
  }, [places]);
  const run = async () => {
    setBusy(true);
    const done = await splitShownMessage(session, node, place);
    setBusy(false);
    if (done) onClose();
  };
  return (
    <Dialog title={t('split')} onClose={onClose} className="wide">
      <p className="hint">{t('splitHint')}</p>
      <div className="split-text" ref={box}>
        <span>{text.slice(0, place)}</span>
        <span className="split-cut" aria-hidden="true" />
        <span className="after">{text.slice(place)}</span>
      </div>
      <label className="row split-slide">
        <Icon name="cut" />
        <span className="sr">{t('splitPlace')}</span>
        <input
          type="range"
          data-first
          min={0}
          max={Math.max(0, places.length - 1)}
          value={at}
          aria-valuetext={t('splitAfter', { words })}
          onChange={(event) => setAt(Number(event.target.value))}
        />
      </label>
      <div className="row foot-row">
        <span className="grow dim clip">{t('splitAfter', { words })}</span>
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button look="primary" icon="cut" disabled={busy || places.length === 0} onClick={() => void run()}>
          {t('splitHere')}
        </Button>
      </div>
    </Dialog>
  );
}
