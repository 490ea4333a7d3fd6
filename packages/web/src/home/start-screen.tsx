import { type ReactElement, useEffect } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { loadConnections, openConnectionForm, useConnections, useHasOwnModel } from '../state/connections.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { createExampleChat } from './example.ts';
import { StartComposer } from './start-composer.tsx';

/** The start screen: a composer, a card to connect a model while none is ready, and things to try. */
export function StartScreen({ folder }: { readonly folder: string | null }): ReactElement {
  const hasModel = useHasOwnModel();
  const few = useAppData((lists) => lists.treesKnown && lists.trees.length < 6);
  return (
    <div className="start">
      <h1>{t('firstQuestion')}</h1>
      <StartComposer folder={folder} />
      {hasModel ? null : <ConnectCard />}
      {few && folder === null ? <TryThis /> : null}
    </div>
  );
}

/** A card with the providers to connect, the best-known first, and a field for any other address. */
function ConnectCard(): ReactElement | null {
  const connections = useConnections(({ items }) => items);
  const canAdd = useConnections((state) => state.canAdd);
  useEffect(() => void loadConnections(), []);
  if (connections === null || !canAdd) return null;
  return (
    <section className="card connect" aria-labelledby="connect-heading">
      <h2 id="connect-heading">
        {t('connectModel')} <span className="dim">{t('connectModelHint')}</span>
      </h2>
      <div className="connect-list">
        {connections
          .filter(({ editable }) => editable)
          .slice(0, 5)
          .map(({ name, label, keyRequired }) => (
            <button key={name} type="button" onClick={() => openConnectionForm(name)}>
              <Icon name="plus" />
              <span>
                <b>{label}</b>
                <small>{t(keyRequired ? 'addKey' : 'onThisComputer')}</small>
              </span>
            </button>
          ))}
        <button type="button" onClick={() => openConnectionForm('')}>
          <Icon name="plus" />
          <span>
            <b>{t('anotherAddress')}</b>
            <small>{t('otherServer')}</small>
          </span>
        </button>
      </div>
      <p className="hint">{t('keysStay')}</p>
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
    { icon: 'fork', title: t('tryBranch'), words: t('tryBranchHint'), run: () => void createExampleChat() },
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
