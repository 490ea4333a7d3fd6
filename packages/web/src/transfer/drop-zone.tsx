import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { importProgressOf, importSources, resumeImports, useImports } from './import-queue.ts';
import { readDroppedSources } from './sources.ts';

function bringsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** Accepts files dropped anywhere on its screen, and shows running imports. */
export function DropZone(): ReactElement {
  const [over, setOver] = useState(false);
  useEffect(() => {
    void resumeImports();
    // The element under the pointer changes all the time; only leaving the window counts.
    const enter = (event: DragEvent) => {
      if (!bringsFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!bringsFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      void readDroppedSources(event.dataTransfer).then((sources) => importSources(sources));
    };
    // If another element handles the drop, the overlay must be hidden too.
    const clear = () => setOver(false);
    addEventListener('dragenter', enter);
    addEventListener('dragover', enter);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    addEventListener('drop', clear, { capture: true });
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragover', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
      removeEventListener('drop', clear, { capture: true });
    };
  }, []);
  return (
    <>
      {over ? (
        <div className="drop-over" aria-hidden="true">
          <Icon name="import" />
          {t('importDrop')}
        </div>
      ) : null}
      <RunningImports />
    </>
  );
}

/** One line for running imports while the dialog is closed. */
function RunningImports(): ReactElement | null {
  const item = useImports((queue) => queue.items.find((each) => each.phase !== 'over'));
  const shown = useUi((ui) => ui.opened?.name === 'import');
  if (item === undefined || shown) return null;
  const share = importProgressOf(item);
  return (
    <div className="row under-way" role="status">
      <Icon name="import" />
      <span className="clip">{t('importUnderWay', { name: item.name })}</span>
      <progress aria-label={t('importUnderWay', { name: item.name })} {...(share === null ? {} : { value: share })} />
      <Button small onClick={() => openDialog({ name: 'import' })}>
        {t('importsShow')}
      </Button>
    </div>
  );
}
