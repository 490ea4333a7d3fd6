import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { translateBuiltInName } from '../i18n/command-texts.ts';
import { t } from '../i18n/index.ts';
import { loadModelsAndTools, useAppData } from '../state/app-data.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { AddToolServer } from './add-tool-server.tsx';
import { SectionHead } from './section-head.tsx';
import { type ToolServerList, toolsApi } from './settings-api.ts';
import { ToolServerRow } from './tool-server-row.tsx';

// How often the state of servers that are starting is read again.
const refreshMs = 2000;

/** Tool servers and their tools: add, test, remove, and decide what may run. */
export function ToolsSection(): ReactElement {
  const builtIn = useAppData((lists) => lists.tools).filter(({ name }) => !name.includes('__'));
  const [list, setList] = useState<ToolServerList | null>(null);
  const [adds, setAdds] = useState(false);
  const take = useCallback((next: ToolServerList) => {
    setList(next);
    void loadModelsAndTools();
  }, []);
  const reload = useCallback(() => {
    toolsApi.servers().then(setList, (thrown) => showError(toHttpProblem(thrown)));
  }, []);
  useEffect(reload, [reload]);
  const servers = list?.servers ?? [];
  const starting = servers.some(({ status }) => status === 'starting' || status === 'restarting');
  useEffect(() => {
    if (!starting) return undefined;
    const timer = setInterval(() => toolsApi.servers().then(take, () => undefined), refreshMs);
    return () => clearInterval(timer);
  }, [starting, take]);
  return (
    <>
      <SectionHead
        title={t('toolsName')}
        lead={t('toolsLead')}
        action={
          <Button icon="plus" aria-expanded={adds} onClick={() => setAdds(!adds)}>
            {t('addServer')}
          </Button>
        }
      />
      {adds && list !== null ? (
        <AddToolServer
          mayAdd={list.mayAdd}
          onCancel={() => setAdds(false)}
          onAdded={(next) => {
            setAdds(false);
            take(next);
          }}
        />
      ) : null}
      {servers.length === 0 ? null : (
        <ul className="rows" aria-label={t('toolServers')}>
          {servers.map((server) => (
            <ToolServerRow
              key={server.name}
              server={server}
              mayDecide={list?.mayAdd.addresses === true}
              onList={take}
              onReload={reload}
            />
          ))}
        </ul>
      )}
      <h2>{t('builtInTools')}</h2>
      <ul className="rows">
        {builtIn.map((tool) => (
          <li key={tool.name} className="row-item tool-line">
            <code>{tool.name}</code>
            <p>{translateBuiltInName(tool.description ?? '')}</p>
          </li>
        ))}
      </ul>
    </>
  );
}
