import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { commandWords, ownName } from '../i18n/command-words.ts';
import { currentLanguage, languages, num, speak, t, tn } from '../i18n/index.ts';
import { complain } from '../state/acts.ts';
import { api } from '../state/client.ts';
import { asProblem } from '../state/http.ts';
import { loadRegisters, useLists } from '../state/lists.ts';
import { setTheme, useUi } from '../state/ui.ts';
import type { McpServerView, SettingsView } from '../state/wire.ts';
import { DataCard } from '../transfer/data-card.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { Words } from '../ui/refusal.tsx';
import { HomeRail } from './home-rail.tsx';
import { DrawerButton } from './rail.tsx';

/** What the page and the server are set to. Keys are never shown, only whether they are there. */
export function SettingsScreen(): ReactElement {
  const [settings, setSettings] = useState<SettingsView | null>(null);
  const [servers, setServers] = useState<readonly McpServerView[]>([]);
  useEffect(() => {
    api.settings().then(setSettings, (thrown) => complain(asProblem(thrown)));
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
          <div className="l settings">
            <div className="row home-head">
              <DrawerButton />
              <h1 className="grow">{t('settings')}</h1>
            </div>
            <Looks />
            <DataCard />
            <Providers settings={settings} />
            <Models />
            <Tools servers={servers} />
            <StoreCard settings={settings} />
          </div>
        </div>
      </main>
    </div>
  );
}

function Card({
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

function Looks(): ReactElement {
  const theme = useUi((ui) => ui.theme);
  return (
    <Card title={t('looks')}>
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
                speak(each);
                location.reload();
              }}
            >
              {languages[each]}
            </button>
          ))}
        </div>
      </div>
    </Card>
  );
}

function Providers({ settings }: { readonly settings: SettingsView | null }): ReactElement {
  const providers = settings?.providers ?? [];
  const models = useLists((lists) => lists.models);
  return (
    <Card title={t('providers')}>
      <p className="hint">{t('providersHint')}</p>
      <ul className="facts">
        {providers.map((provider) => {
          const own = models.filter((model) => model.provider === provider.name);
          const ready = provider.key || own.some((model) => model.ready);
          return (
            <li key={provider.name} className="row">
              <Icon name={ready ? 'check' : 'x'} />
              <b>{ownName(provider.label)}</b>
              <span className="dim grow clip">{ready ? null : <Words {...commandWords(own[0]?.missing ?? '')} />}</span>
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
    </Card>
  );
}

const shownModels = 6;

function Models(): ReactElement {
  const models = useLists((lists) => lists.models);
  const [busy, setBusy] = useState(false);
  const [all, setAll] = useState(false);
  // What can be asked now comes first; the rest waits for a key.
  const sorted = [...models].sort((a, b) => Number(b.ready) - Number(a.ready));
  const shown = all ? sorted : sorted.slice(0, shownModels);
  const refresh = () => {
    setBusy(true);
    api
      .refreshModels()
      .then(loadRegisters, (thrown) => complain(asProblem(thrown)))
      .finally(() => setBusy(false));
  };
  return (
    <Card
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
            <span className="dim num">{model.windowKnown ? t('windowOf', { n: num(model.window) }) : ''}</span>
          </li>
        ))}
      </ul>
      {sorted.length > shownModels ? (
        <Button small look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('fewer') : tn('moreModels', sorted.length - shownModels)}
        </Button>
      ) : null}
    </Card>
  );
}

function Tools({ servers }: { readonly servers: readonly McpServerView[] }): ReactElement {
  const tools = useLists((lists) => lists.tools);
  return (
    <Card title={t('toolsName')}>
      <ul className="facts">
        {tools.map((tool) => (
          <li key={tool.name} className="row">
            <Icon name="tool" />
            <span className="mono">{tool.name}</span>
            <span className="dim grow clip">{ownName(tool.description ?? '')}</span>
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
    </Card>
  );
}

function StoreCard({ settings }: { readonly settings: SettingsView | null }): ReactElement | null {
  if (settings === null) return null;
  const { store } = settings;
  return (
    <Card title={t('store')}>
      <dl className="kv">
        <dt>{t('storeKind')}</dt>
        <dd>{store.kind}</dd>
      </dl>
      {[...store.notes, ...settings.warnings].map((note) => (
        <p key={note} className="hint">
          {note}
        </p>
      ))}
    </Card>
  );
}
