import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useState } from 'react';
import { formatTime, t, tn } from '../i18n/index.ts';
import type { ModelConnection } from '../state/connections.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { ConnectionForm, TestResult } from './connection-form.tsx';
import { type ConnectionList, type ConnectionTest, settingsApi } from './settings-api.ts';
import { showConnected } from './show-connected.ts';

interface ConnectionRowProps {
  readonly connection: ModelConnection;
  readonly keptIn: ConnectionList['keptIn'];
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: () => Promise<void>;
}

function hostOf(address: string | null): string {
  return address !== null && URL.canParse(address) ? new URL(address).host : (address ?? '');
}

/** The source of the key, or the address of a local server. */
function detailOf({ key, address, local, ready, kept }: ModelConnection): string {
  const host = hostOf(address);
  if (key?.from === 'environment') return t('keyFromEnvironment', { variable: key.variable ?? '' });
  if (key?.from === 'file') return t('keyFromFile');
  if (key !== null) {
    const when = key.addedAt === null ? '' : formatTime(key.addedAt);
    return key.lastFour === null ? t('keyAdded', { when }) : t('keyEnding', { four: key.lastFour, when });
  }
  if (local && !kept) return ready ? t('foundAt', { host }) : t('noAnswerAt', { host });
  return host;
}

/** A provider or server: its state, a test, and its form. */
export function ConnectionRow({ connection, keptIn, isOpen, onOpen, onChange }: ConnectionRowProps): ReactElement {
  const { name, label, ready, models, local, key, kept, editable, keyUrl } = connection;
  const [result, setResult] = useState<ConnectionTest | null>(null);
  const [busy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    try {
      const found = await settingsApi.test(name, {});
      setResult(found);
      if (found.problem === null) await onChange();
    } catch (thrown) {
      const { code, message } = toHttpProblem(thrown);
      setResult({ models: [], problem: { code, message } });
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    try {
      await settingsApi.disconnect(name);
      setResult(null);
      showToast({ icon: 'check', text: t('disconnected', { name: label }) });
      await onChange();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  const isSet = key !== null || kept || local;
  const failed = result !== null && result.problem !== null;
  return (
    <li className={isOpen ? 'row-item open' : 'row-item'}>
      <div className="row-line">
        <div className="row-name">
          <b>{label}</b>
          <span className="row-detail">{detailOf(connection)}</span>
        </div>
        {failed ? (
          <span className="state bad">
            <Icon name="x" />
            {t('notConnected')}
          </span>
        ) : ready ? (
          <span className="state ok">
            <Icon name="check" />
            {tn('connectedModels', models)}
          </span>
        ) : local ? (
          <span className="state warn">
            <Icon name="warn" />
            {t('notRunning')}
          </span>
        ) : (
          <span className="state">{t('notConnected')}</span>
        )}
        <div className="row-end">
          {isOpen && keyUrl !== null ? (
            <a className="btn quiet small" href={keyUrl} target="_blank" rel="noreferrer">
              {t('getKey')}
            </a>
          ) : null}
          {isSet && !isOpen ? (
            <Button
              small
              disabled={busy}
              aria-label={t(local && !ready ? 'tryAgainNamed' : 'testNamed', { name: label })}
              onClick={() => void test()}
            >
              {t(local && !ready ? 'tryAgain' : 'test')}
            </Button>
          ) : null}
          {!isSet && !isOpen && editable ? (
            <Button small aria-label={t('addKeyNamed', { name: label })} onClick={() => onOpen(true)}>
              {t('addKey')}
            </Button>
          ) : null}
          {isSet && editable ? (
            <Menu trigger={<IconButton icon="more" label={t('moreFor', { name: label })} />}>
              <MenuItem icon="edit" onSelect={() => onOpen(true)}>
                {t(local ? 'changeAddress' : 'changeKey')}
              </MenuItem>
              {kept ? (
                <MenuItem icon="trash" danger onSelect={() => void remove()}>
                  {t('removeConnection')}
                </MenuItem>
              ) : null}
            </Menu>
          ) : null}
        </div>
      </div>
      {isOpen ? (
        <ConnectionForm
          name={name}
          address={connection.address ?? ''}
          keyRequired={connection.keyRequired}
          hasKey={key !== null}
          keptIn={keptIn}
          asksAddress={!connection.keyRequired}
          onCancel={() => onOpen(false)}
          onDone={() => {
            setResult(null);
            onOpen(false);
            showConnected(label);
            void onChange();
          }}
        />
      ) : result === null ? null : (
        <div className="row-result">
          <TestResult result={result} />
        </div>
      )}
    </li>
  );
}
