import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useState } from 'react';
import { formatTime, t, tn } from '../i18n/index.ts';
import type { ModelConnection } from '../state/connections.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { ConnectionForm, ConnectionTestResult } from './connection-form.tsx';
import { RemoveConnectionDialog } from './remove-connection-dialog.tsx';
import { type ConnectionList, type ConnectionTestOutcome, settingsApi } from './settings-api.ts';
import { showConnectedToast } from './show-connected.ts';

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
  const { name, label, key } = connection;
  const { result, busy, test, clear } = useConnectionTest(name, onChange);
  const close = () => {
    clear();
    onOpen(false);
    showConnectedToast(label);
    void onChange();
  };
  return (
    <li className={isOpen ? 'row-item open' : 'row-item'}>
      <div className="row-line">
        <div className="row-name">
          <b>{label}</b>
          <span className="row-detail">{detailOf(connection)}</span>
        </div>
        <ConnectionState connection={connection} failed={result !== null && result.problem !== null} />
        <div className="row-end">
          <ConnectionButtons
            connection={connection}
            isOpen={isOpen}
            busy={busy}
            onOpen={() => onOpen(true)}
            onTest={() => void test()}
          />
          <ConnectionMenu
            connection={connection}
            onOpen={() => onOpen(true)}
            onRemoved={() => {
              clear();
              void onChange();
            }}
          />
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
          onDone={close}
        />
      ) : result === null ? null : (
        <div className="row-result">
          <ConnectionTestResult result={result} />
        </div>
      )}
    </li>
  );
}

/** Tests a stored connection, and keeps the result until it is cleared. */
function useConnectionTest(
  name: string,
  onSuccess: () => Promise<void>,
): {
  readonly result: ConnectionTestOutcome | null;
  readonly busy: boolean;
  readonly test: () => Promise<void>;
  readonly clear: () => void;
} {
  const [result, setResult] = useState<ConnectionTestOutcome | null>(null);
  const [busy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    try {
      const found = await settingsApi.test(name, {});
      setResult(found);
      if (found.problem === null) await onSuccess();
    } catch (thrown) {
      const { code, message } = toHttpProblem(thrown);
      setResult({ models: [], problem: { code, message } });
    } finally {
      setBusy(false);
    }
  };
  return { result, busy, test, clear: () => setResult(null) };
}

/** Whether the connection has a key, an address, or a local server. */
function isConfigured({ key, kept, local }: ModelConnection): boolean {
  return key !== null || kept || local;
}

/** Whether the connection works; `failed` is the result of the user's own test. */
function ConnectionState({
  connection: { ready, models, local },
  failed,
}: {
  readonly connection: ModelConnection;
  readonly failed: boolean;
}): ReactElement {
  if (failed)
    return (
      <span className="state bad">
        <Icon name="x" />
        {t('notConnected')}
      </span>
    );
  if (ready)
    return (
      <span className="state ok">
        <Icon name="check" />
        {tn('connectedModels', models)}
      </span>
    );
  if (!local) return <span className="state">{t('notConnected')}</span>;
  return (
    <span className="state warn">
      <Icon name="warn" />
      {t('notRunning')}
    </span>
  );
}

interface ConnectionButtonsProps {
  readonly connection: ModelConnection;
  readonly isOpen: boolean;
  readonly busy: boolean;
  readonly onOpen: () => void;
  readonly onTest: () => void;
}

/** A button that tests the connection or opens its form; while the form is open, a link to get a key. */
function ConnectionButtons({ connection, isOpen, busy, onOpen, onTest }: ConnectionButtonsProps): ReactElement | null {
  const { label, ready, local, editable, keyUrl } = connection;
  if (isOpen)
    return keyUrl === null ? null : (
      <a className="btn quiet small" href={keyUrl} target="_blank" rel="noreferrer">
        {t('getKey')}
      </a>
    );
  if (isConfigured(connection))
    return (
      <Button
        small
        disabled={busy}
        aria-label={t(local && !ready ? 'tryAgainNamed' : 'testNamed', { name: label })}
        onClick={onTest}
      >
        {t(local && !ready ? 'tryAgain' : 'test')}
      </Button>
    );
  if (!editable) return null;
  return (
    <Button small aria-label={t('addKeyNamed', { name: label })} onClick={onOpen}>
      {t('addKey')}
    </Button>
  );
}

interface ConnectionMenuProps {
  readonly connection: ModelConnection;
  readonly onOpen: () => void;
  readonly onRemoved: () => void;
}

function ConnectionMenu({ connection, onOpen, onRemoved }: ConnectionMenuProps): ReactElement | null {
  const { name, label, local, kept, editable } = connection;
  const [asking, setAsking] = useState(false);
  if (!isConfigured(connection) || !editable) return null;
  const remove = () => {
    setAsking(false);
    settingsApi.disconnect(name).then(
      () => {
        showToast({ icon: 'check', text: t('disconnected', { name: label }) });
        onRemoved();
      },
      (thrown) => showError(toHttpProblem(thrown)),
    );
  };
  return (
    <>
      <Menu trigger={<IconButton icon="more" label={t('moreFor', { name: label })} />}>
        <MenuItem icon="edit" onSelect={onOpen}>
          {t(local ? 'changeAddress' : 'changeKey')}
        </MenuItem>
        {kept ? (
          <MenuItem icon="trash" danger onSelect={() => setAsking(true)}>
            {t('removeConnection')}
          </MenuItem>
        ) : null}
      </Menu>
      {asking ? (
        <RemoveConnectionDialog
          name={label}
          words={removalWords(connection)}
          onRemove={remove}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

/** What the removal of a connection deletes: its key, or only its address. */
function removalWords({ key }: ModelConnection): string {
  if (key === null) return t('removeAddressWords');
  return key.lastFour === null ? t('removeKeyWords') : t('removeKeyEnding', { four: key.lastFour });
}
