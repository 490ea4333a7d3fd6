import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { formatChord } from '../keys/chords.ts';
import { writeLocalText } from '../state/local-storage.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyListDrawing } from '../ui/logo.tsx';
import { TreeSilhouette } from '../ui/tree-silhouette.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';

const steps = ['tourBranch', 'tourRings', 'tourMap', 'tourUndo'] as const;

/** A short tour in four steps: branches, versions of a message, the map, and undo. */
export function Tour({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [at, setAt] = useState(0);
  const step = steps[at] ?? 'tourBranch';
  const done = () => {
    writeLocalText('toured', 'yes');
    onClose();
  };
  return (
    <Dialog title={t('tour')} onClose={done}>
      <div className="tour">
        <div className="tour-picture">
          {at === 0 ? <EmptyListDrawing /> : null}
          {at === 1 ? <VariantRings count={3} at={2} size={64} /> : null}
          {at === 2 ? (
            <TreeSilhouette
              stems={[
                { height: 6, active: false },
                { height: 9, active: false },
                { height: 13, active: true },
                { height: 5, active: false },
              ]}
              width={110}
              height={80}
            />
          ) : null}
          {at === 3 ? <kbd className="big">{formatChord('mod+z')}</kbd> : null}
        </div>
        <p aria-live="polite">{t(step)}</p>
      </div>
      <div className="row foot-row">
        <span className="grow dim num">
          {at + 1}/{steps.length}
        </span>
        <Button look="quiet" onClick={done}>
          {t('skip')}
        </Button>
        <Button look="primary" onClick={() => (at + 1 < steps.length ? setAt(at + 1) : done())}>
          {at + 1 < steps.length ? t('next') : t('begin')}
        </Button>
      </div>
    </Dialog>
  );
}
