import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../keys/action-controls.tsx';

/** The card of the settings with buttons for import and export. */
export function ImportExportCard(): ReactElement {
  return (
    <section className="card">
      <h2>{t('yourData')}</h2>
      <p className="hint">{t('yourDataHint')}</p>
      <div className="row choose-row">
        <ActionButton id="import" />
        <ActionButton id="export-all" />
      </div>
    </section>
  );
}
