import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { commandWords, germanCommandName } from '../i18n/command-texts.ts';
import { currentLanguage, formatNumber, languages, setLanguage, t, tn } from '../i18n/index.ts';
import type { McpServerView, SettingsView } from '../state/api-types.ts';
import { loadRegisters, useAppData } from '../state/app-data.ts';
import { api } from '../state/client.ts';
import { asProblem } from '../state/http.ts';
import { showError } from '../state/tree-actions.ts';
import { setTheme, useUi } from '../state/ui.ts';
import { DataCard } from '../transfer/data-card.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { LocalizedError } from '../ui/refusal.tsx';
import { HomeRail } from './home-rail.tsx';
import { DrawerButton } from './rail.tsx';

/** What the page and the server are set to. Keys are never shown, only whether they are there. */
export function SettingsScreen(): ReactElement {
  const [settings, setSettings] = useState<SettingsView | null>(null);
  const [servers, setServers] = useState<readonly McpServerView[]>([]);
  useEffect(() => {
    api.settings().then(setSettings, (thrown) => showError(asProblem(thrown)));
    api.mcp().then(
      (answer) => setServers(answer.servers),
      () => undefined,
    );
  }, []);
  return (
    <div className="app two">
      <HomeRail />
      <main className="main">
        <div className="home one">
          <div className="column-main settings">
            <div className="row home-head">
              <DrawerButton />
              <h1 className="grow">{t('settings')}</h1>
            </div>
            <AppearanceSettings />
            <DataCard />
            <ProviderSettings settings={settings} />
            <ModelSettings />
            <ToolSettings servers={servers} />
            <StoreCard settings={settings} />
          </div>
        </div>
      </main>
    </div>
  );
}

function SettingsCard({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}): ReactElement {
  return (
    <section className="card">
      <h2>
        <span className="grow">{title}</span>
        {action}
      </h2>
      {children}
    </section>
  );
}

function AppearanceSettings(): ReactElement {
  const theme = useUi((ui) => ui.theme);
  return (
    <SettingsCard title={t('looks')}>
      <div className="row setting">
        <span className="grow">{t('theme')}</span>
        <div className="seg">
          {(['system', 'light', 'dark'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={each === theme} onClick={() => setTheme(each)}>
              {t(each === 'system' ? 'themeSystem' : each === 'light' ? 'themeLight' : 'themeDark')}
            </button>
          ))}
        </div>
      </div>
      <div className="row setting">
        <span className="grow">{t('language')}</span>
        <div className="seg">
          {(Object.keys(languages) as (keyof typeof languages)[]).map((each) => (
            <button
              key={each}
              type="button"
              lang={each}
              aria-pressed={each === currentLanguage()}
              onClick={() => {
                setLanguage(each);
                location.reload();
              }}
            >
              {languages[each]}
            </button>
          ))}
        </div>
      </div>
    </SettingsCard>
  );
}

function ProviderSettings({ settings }: { readonly settings: SettingsView | null }): ReactElement {
  const providers = settings?.providers ?? [];
  const models = useAppData((lists) => lists.models);
  return (
    <SettingsCard title={t('providers')}>
      <p className="hint">{t('providersHint')}</p>
      <ul className="facts">
        {providers.map((provider) => {
          const own = models.filter((model) => model.provider === provider.name);
          const ready = provider.key || own.some((model) => model.ready);
          return (
            <li key={provider.name} className="row">
              <Icon name={ready ? 'check' : 'x'} />
              <b>{germanCommandName(provider.label)}</b>
              <span className="dim grow clip">
                {ready ? null : <LocalizedError {...commandWords(own[0]?.missing ?? '')} />}
              </span>
              <span className={ready || own.length === 0 ? 'chip' : 'chip warm'}>
                {t(
                  provider.key
                    ? 'keyThere'
                    : ready
                      ? 'keyNotNeeded'
                      : own.length === 0
                        ? 'noModelsFound'
                        : 'keyMissing',
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </SettingsCard>
  );
}

const shownModels = 6;

function ModelSettings(): ReactElement {
  const models = useAppData((lists) => lists.models);
  const [busy, setBusy] = useState(false);
  const [all, setAll] = useState(false);
  // What can be asked now comes first; the rest waits for a key.
  const sorted = [...models].sort((a, b) => Number(b.ready) - Number(a.ready));
  const shown = all ? sorted : sorted.slice(0, shownModels);
  const refresh = () => {
    setBusy(true);
    api
      .refreshModels()
      .then(loadRegisters, (thrown) => showError(asProblem(thrown)))
      .finally(() => setBusy(false));
  };
  return (
    <SettingsCard
      title={t('models')}
      action={
        <Button small icon="again" disabled={busy} onClick={refresh}>
          {t('refresh')}
        </Button>
      }
    >
      <ul className="facts">
        {shown.map((model) => (
          <li key={model.id} className="row">
            <ModelName model={model.id} />
            <span className="dim grow">{model.provider}</span>
            <span className="dim num">{model.windowKnown ? t('windowOf', { n: formatNumber(model.window) }) : ''}</span>
          </li>
        ))}
      </ul>
      {sorted.length > shownModels ? (
        <Button small look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('fewer') : tn('moreModels', sorted.length - shownModels)}
        </Button>
      ) : null}
    </SettingsCard>
  );
}

function ToolSettings({ servers }: { readonly servers: readonly McpServerView[] }): ReactElement {
  const tools = useAppData((lists) => lists.tools);
  return (
    <SettingsCard title={t('toolsName')}>
      <ul className="facts">
        {tools.map((tool) => (
          <li key={tool.name} className="row">
            <Icon name="tool" />
            <span className="mono">{tool.name}</span>
            <span className="dim grow clip">{germanCommandName(tool.description ?? '')}</span>
            {tool.sideEffects === true ? <span className="chip warm">{t('changesThings')}</span> : null}
          </li>
        ))}
        {servers.map((server) => (
          <li key={`mcp ${server.name}`} className="row">
            <Icon name={server.status === 'ready' ? 'check' : 'warn'} />
            <b>{server.name}</b>
            <span className="dim grow clip">
              {server.lastError ?? (server.tools === undefined ? '' : t('toolCount', { n: server.tools.length }))}
            </span>
            <span className="chip">{server.status}</span>
          </li>
        ))}
      </ul>
    </SettingsCard>
  );
}

function StoreCard({ settings }: { readonly settings: SettingsView | null }): ReactElement | null {
  if (settings === null) return null;
  const { store } = settings;
  return (
    <SettingsCard title={t('store')}>
      <dl className="kv">
        <dt>{t('storeKind')}</dt>
        <dd>{store.kind}</dd>
      </dl>
      {[...store.notes, ...settings.warnings].map((note) => (
        <p key={note} className="hint">
          {note}
        </p>
      ))}
    </SettingsCard>
  );
}
