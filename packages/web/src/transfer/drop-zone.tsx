import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { Button } from '../ui/button.tsx';
import { registerFileReceiver } from '../ui/file-drops.ts';
import { Icon } from '../ui/icon.tsx';
import { importProgressOf, importSources, resumeImports, useImports } from './import-queue.ts';
import { readDroppedSources } from './sources.ts';

/** Accepts files dropped anywhere on its screen, and shows running imports. */
export function DropZone(): ReactElement {
  const [over, setOver] = useState(false);
  useEffect(() => {
    void resumeImports();
    return registerFileReceiver({
      onOver: setOver,
      onDrop: (data) => void readDroppedSources(data).then((sources) => importSources(sources)),
    });
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
