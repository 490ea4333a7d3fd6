import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { loadModelsAndTools } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { useRoute } from '../state/router.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { ConnectionRow } from './connection-row.tsx';
import { ModelChoiceRows } from './model-choices.tsx';
import { OtherServerRow } from './other-server-row.tsx';
import { SectionHead } from './section-head.tsx';
import { type ConnectionList, settingsApi } from './settings-api.ts';

/** The section for providers and local servers: keys, addresses, tests, and the models for chats and titles. */
export function ModelsSection(): ReactElement {
  const { list, isForbidden, reload } = useConnectionList();
  // If another screen opened the settings to connect a provider, the form of that provider is open.
  const asked = useRoute(({ place }) => (place.name === 'settings' ? (place.connect ?? null) : null));
  const [open, setOpen] = useState<string | null>(asked);
  useEffect(() => setOpen(asked), [asked]);
  const [busy, setBusy] = useState(false);
  const checkAll = () => {
    setBusy(true);
    api
      .refreshModels()
      .then(reload, (thrown) => showError(toHttpProblem(thrown)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <SectionHead
        title={t('models')}
        lead={t(isForbidden ? 'modelsLeadMember' : 'modelsLead')}
        action={
          <Button icon="again" disabled={busy} onClick={checkAll}>
            {t('checkAll')}
          </Button>
        }
      />
      {list?.problem === null || list === null ? null : (
        <div className="result warn" role="alert">
          <span>{list.problem}</span>
        </div>
      )}
      {list === null ? null : (
        <ul className="rows" aria-label={t('providers')}>
          {list.items.map((connection) => (
            <ConnectionRow
              key={connection.name}
              connection={connection}
              keptIn={list.keptIn}
              isOpen={open === connection.name}
              onOpen={(isOpen) => setOpen(isOpen ? connection.name : null)}
              onChange={reload}
            />
          ))}
          {list.keptIn === null ? null : (
            <OtherServerRow
              taken={list.items.map(({ name }) => name)}
              keptIn={list.keptIn}
              isOpen={open === ''}
              onOpen={(isOpen) => setOpen(isOpen ? '' : null)}
              onChange={reload}
            />
          )}
        </ul>
      )}
      {list === null || list.keptIn === null ? null : <ModelChoiceRows choices={list.models} onChange={reload} />}
    </>
  );
}

/** Reads the connections, which only administrators may see. Reading them again also updates the models of the page. */
function useConnectionList(): {
  readonly list: ConnectionList | null;
  readonly isForbidden: boolean;
  readonly reload: () => Promise<void>;
} {
  const [list, setList] = useState<ConnectionList | null>(null);
  const [isForbidden, setForbidden] = useState(false);
  const reload = useCallback(async () => {
    try {
      setList(await settingsApi.connections());
      await loadModelsAndTools();
    } catch (thrown) {
      const problem = toHttpProblem(thrown);
      if (problem.status === 403) setForbidden(true);
      else showError(problem);
    }
  }, []);
  useEffect(() => void reload(), [reload]);
  return { list, isForbidden, reload };
}
