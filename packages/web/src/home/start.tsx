import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { navigateTo } from '../state/router.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { openExample } from './example.ts';
import { StartComposer } from './start-composer.tsx';

/** The first screen: a composer, a way to connect a model while none is ready, and things to try. */
export function Start({ folder }: { readonly folder: string | null }): ReactElement {
  const noneReady = useAppData((lists) => lists.models.length > 0 && !lists.models.some((model) => model.ready));
  const few = useAppData((lists) => lists.treesKnown && lists.trees.length < 6);
  return (
    <div className="start">
      <h1>{t('firstQuestion')}</h1>
      <StartComposer folder={folder} />
      {noneReady ? <ConnectCard /> : null}
      {few && folder === null ? <TryThis /> : null}
    </div>
  );
}

function ConnectCard(): ReactElement {
  const models = useAppData((lists) => lists.models);
  const providers = new Map(models.map((model) => [model.provider, model.providerLabel]));
  return (
    <section className="card connect" aria-labelledby="connect-heading">
      <h2 id="connect-heading">
        {t('connectModel')} <span className="dim">{t('connectModelHint')}</span>
      </h2>
      <div className="connect-list">
        {[...providers].slice(0, 6).map(([provider, label]) => (
          <button key={provider} type="button" onClick={() => navigateTo({ name: 'settings', section: 'models' })}>
            <Icon name="plus" />
            <span>
              <b>{label}</b>
              <small>{t('addKey')}</small>
            </span>
          </button>
        ))}
      </div>
    </section>
  );
}

function TryThis(): ReactElement {
  const tries: readonly {
    readonly icon: IconName;
    readonly title: string;
    readonly words: string;
    readonly run: () => void;
  }[] = [
    {
      icon: 'compare',
      title: t('trySeveral'),
      words: t('trySeveralHint'),
      run: () => {
        useAppData.setState({ n: 2 });
        useUi.setState(({ newChats }) => ({ newChats: newChats + 1 }));
      },
    },
    { icon: 'fork', title: t('tryBranch'), words: t('tryBranchHint'), run: () => void openExample() },
    { icon: 'import', title: t('tryImport'), words: t('tryImportHint'), run: () => openDialog({ name: 'import' }) },
  ];
  return (
    <section aria-labelledby="try-heading">
      <h2 id="try-heading">{t('tryThis')}</h2>
      <div className="tries">
        {tries.map(({ icon, title, words, run }) => (
          <Button key={icon} look="quiet" className="try" onClick={run}>
            <Icon name={icon} />
            <b>{title}</b>
            <span>{words}</span>
          </Button>
        ))}
      </div>
    </section>
  );
}
