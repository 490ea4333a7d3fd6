import { type SettingsView, toHttpProblem } from '@coppice/client';
import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { canStoreOfflineCopies, maxOfflineCopies, removeOfflineCopies } from '../state/offline-copies.ts';
import { api } from '../state/page-client.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { ImportExportCard } from '../transfer/import-export-card.tsx';
import { Button } from '../ui/button.tsx';
import { SectionHead } from './section-head.tsx';

/** Import, export, and where the chats are stored. */
export function DataSection(): ReactElement {
  const [settings, setSettings] = useState<SettingsView | null>(null);
  useEffect(() => {
    api.settings().then(setSettings, (thrown) => showError(toHttpProblem(thrown)));
  }, []);
  return (
    <>
      <SectionHead title={t('dataSection')} lead={t('dataLead')} />
      <ImportExportCard />
      {canStoreOfflineCopies() ? (
        <div className="rows">
          <div className="row-item setting-row">
            <div className="grow">
              <b>{t('offlineCopies')}</b>
              <span className="row-detail">{t('offlineCopiesHint', { n: maxOfflineCopies })}</span>
            </div>
            <Button
              small
              onClick={() =>
                void removeOfflineCopies().then(() => showToast({ icon: 'check', text: t('copiesRemoved') }))
              }
            >
              {t('removeCopies')}
            </Button>
          </div>
        </div>
      ) : null}
      {settings === null ? null : (
        <section className="card">
          <h2>{t('store')}</h2>
          <dl className="kv">
            <dt>{t('storeKind')}</dt>
            <dd>{settings.store.kind}</dd>
          </dl>
          {[...settings.store.notes, ...settings.warnings].map((note) => (
            <p key={note} className="hint">
              {note}
            </p>
          ))}
        </section>
      )}
    </>
  );
}
