import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { openDialog } from '../state/ui.ts';
import { Button } from '../ui/button.tsx';

/** In the settings: everything in, and everything out. */
export function DataCard(): ReactElement {
  return (
    <section className="card">
      <h2>{t('yourData')}</h2>
      <p className="hint">{t('yourDataHint')}</p>
      <div className="row choose-row">
        <Button icon="import" onClick={() => openDialog({ name: 'import' })}>
          {t('importMenu')}
        </Button>
        <Button icon="export" onClick={() => openDialog({ name: 'export', about: null })}>
          {t('exportAllMenu')}
        </Button>
      </div>
    </section>
  );
}
