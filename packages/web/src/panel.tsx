import { lazy, type ReactElement, Suspense } from 'react';
import { ContextSummary } from './context/context-summary.tsx';
import { t } from './i18n/index.ts';
import { navigateTo, treeRoute } from './state/router.ts';
import { type PanelName, showPanel, useUi } from './state/ui.ts';
import { useSession, useTree } from './state/use-session.ts';
import { IconButton } from './ui/button.tsx';
import { Icon, type IconName } from './ui/icon.tsx';

// Loaded after the thread, because map and history need the whole tree.
const MapPanel = lazy(() => import('./map/map-panel.tsx').then((module) => ({ default: module.MapPanel })));
const HistoryPanel = lazy(() =>
  import('./tree-work/history-panel.tsx').then((module) => ({ default: module.HistoryPanel })),
);

const tabs: readonly {
  readonly name: PanelName;
  readonly icon: IconName;
  readonly label: 'map' | 'context' | 'history';
}[] = [
  { name: 'map', icon: 'map', label: 'map' },
  { name: 'context', icon: 'layers', label: 'context' },
  { name: 'history', icon: 'clock', label: 'history' },
];

/** The panel next to the thread: the map, the context, or the history. */
export function SidePanel(): ReactElement {
  const session = useSession();
  const panel = useUi((ui) => ui.panel);
  // The map waits for the first messages.
  const ready = useTree((state) => state.phase !== 'loading');
  return (
    <aside className="panel" aria-label={t('mapAndContext')}>
      <div className="bar">
        <div className="seg">
          {tabs.map((tab) => (
            <button key={tab.name} type="button" aria-pressed={panel === tab.name} onClick={() => showPanel(tab.name)}>
              <Icon name={tab.icon} />
              {t(tab.label)}
            </button>
          ))}
        </div>
        <span className="grow" />
        <IconButton
          icon="panel"
          label={`${t('openFull')} (G ${panel === 'map' ? 'M' : panel === 'context' ? 'C' : 'Y'})`}
          onClick={() => navigateTo(treeRoute(session.treeId, { screen: panel }))}
        />
      </div>
      <Suspense fallback={<div className="mapbox" />}>
        {panel === 'map' ? ready ? <MapPanel /> : <div className="mapbox" /> : null}
        {panel === 'history' ? <HistoryPanel /> : null}
      </Suspense>
      {panel === 'map' ? <div className="hr" /> : null}
      {panel === 'history' ? null : <ContextSummary whole={panel === 'context'} />}
    </aside>
  );
}
