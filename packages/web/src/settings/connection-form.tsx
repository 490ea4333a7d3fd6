import { toHttpProblem } from '@coppice/client';
import {
  type FormEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { t, tn } from '../i18n/index.ts';
import { localizeError } from '../i18n/refusals.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { TextField } from '../ui/text-field.tsx';
import { TranslatedTextView } from '../ui/translated-text.tsx';
import { type ConnectionFields, type ConnectionList, type ConnectionTestOutcome, settingsApi } from './settings-api.ts';

const shownModels = 3;

/** The result of a test: the models, or the error. */
export function ConnectionTestResult({ result }: { readonly result: ConnectionTestOutcome }): ReactElement {
  const [all, setAll] = useState(false);
  const { models, problem } = result;
  if (problem !== null)
    return (
      <div className="result bad" role="alert">
        <Icon name="warn" />
        <span>
          <TranslatedTextView {...localizeError(problem)} />
        </span>
      </div>
    );
  const shown = all ? models : models.slice(0, shownModels);
  const rest = models.length - shown.length;
  return (
    <div className="result" role="status">
      <Icon name="check" />
      <span className="grow">
        <b>{tn('modelsFound', models.length)}</b> {shown.join(', ')}
        {rest > 0 ? ` ${tn('andMore', rest)}` : ''}
      </span>
      {models.length > shownModels ? (
        <Button small look="quiet" onClick={() => setAll(!all)}>
          {t(all ? 'showLess' : 'showAll')}
        </Button>
      ) : null}
    </div>
  );
}

interface ConnectionFormProps {
  /** The name under which the connection is stored; null until one is entered. */
  readonly name: string | null;
  readonly address: string;
  readonly keyRequired: boolean;
  /** Whether a key is stored for the previous URL. */
  readonly hasKey: boolean;
  readonly keptIn: ConnectionList['keptIn'];
  /** Whether the form shows the URL at once; otherwise a link in the form shows it. */
  readonly asksAddress: boolean;
  /** Further fields above key and URL. */
  readonly children?: ReactNode;
  readonly label?: string | undefined;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

function hostIn(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** Runs a test or a save, and keeps its result: the models, or why it failed. */
function useConnectionRequests(name: string | null): {
  readonly busy: boolean;
  readonly result: ConnectionTestOutcome | null;
  /** Sends a request. Resolves to false if the name is missing or the server refused. */
  readonly request: (send: (name: string) => Promise<ConnectionTestOutcome>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<ConnectionTestOutcome | null>(null);
  const request = async (send: (name: string) => Promise<ConnectionTestOutcome>): Promise<boolean> => {
    if (name === null) {
      setResult({ models: [], problem: { code: 'page/name', message: t('nameNeeded') } });
      return false;
    }
    setBusy(true);
    try {
      setResult(await send(name));
      return true;
    } catch (thrown) {
      const { code, message } = toHttpProblem(thrown);
      setResult({ models: [], problem: { code, message } });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, result, request };
}

const keyPlaces = { file: 'keptInFile', encrypted: 'keptEncrypted', memory: 'keptInMemory' } as const;

/** Key and URL of a connection: tests and saves them. The key is sent once and never read back. */
export function ConnectionForm(props: ConnectionFormProps): ReactElement {
  const { name, keyRequired, hasKey, keptIn, asksAddress, label, onDone, onCancel } = props;
  const [key, setKey] = useState('');
  const [address, setAddress] = useState(props.address);
  const [moves, setMoves] = useState(asksAddress);
  const { busy, result, request } = useConnectionRequests(name);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const fields: ConnectionFields = {
    ...(moves && address.trim() !== '' ? { address: address.trim() } : {}),
    ...(key.trim() === '' ? {} : { key: key.trim() }),
    ...(label === undefined || label === '' ? {} : { label }),
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await request((of) => settingsApi.connect(of, fields))) onDone();
  };
  return (
    <form className="settings-form" onSubmit={(event) => void save(event)}>
      {props.children}
      {moves ? (
        <AddressField
          value={address}
          field={asksAddress && props.children === undefined ? first : undefined}
          onChange={setAddress}
        />
      ) : null}
      <KeyField
        label={t(keyRequired ? 'apiKey' : 'apiKeyOptional')}
        placeholder={hasKey ? t('keepKey') : ''}
        value={key}
        field={asksAddress ? undefined : first}
        onChange={setKey}
      >
        <Button disabled={busy} onClick={() => void request((of) => settingsApi.test(of, fields))}>
          {t('test')}
        </Button>
      </KeyField>
      {result === null ? null : <ConnectionTestResult result={result} />}
      <div className="form-foot">
        <p className="help grow">
          {t(keyPlaces[keptIn ?? 'memory'])} {t('keyBound', { host: hostIn(address) })}{' '}
          {moves ? null : (
            <button type="button" className="text-link" onClick={() => setMoves(true)}>
              {t('otherAddress')}
            </button>
          )}
        </p>
        <Button look="quiet" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button look="primary" type="submit" disabled={busy}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}

interface AddressFieldProps {
  readonly value: string;
  readonly field: RefObject<HTMLInputElement | null> | undefined;
  readonly onChange: (address: string) => void;
}

function AddressField({ value, field, onChange }: AddressFieldProps): ReactElement {
  return (
    <TextField
      mono
      label={t('address')}
      field={field}
      value={value}
      onText={onChange}
      inputMode="url"
      spellCheck={false}
      placeholder="http://127.0.0.1:8000/v1"
    />
  );
}

interface KeyFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly field: RefObject<HTMLInputElement | null> | undefined;
  readonly onChange: (key: string) => void;
  /** A button next to the field. */
  readonly children: ReactNode;
}

/** A field for a key, hidden like a password unless the user wants to read it. */
function KeyField({ label, placeholder, value, field, onChange, children }: KeyFieldProps): ReactElement {
  const [isShown, setShown] = useState(false);
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <div className="input-row">
        <input
          id={id}
          ref={field}
          className="input mono"
          type={isShown ? 'text' : 'password'}
          value={value}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
        <IconButton
          icon={isShown ? 'eyeoff' : 'eye'}
          label={t(isShown ? 'hideKey' : 'showKey')}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        />
        {children}
      </div>
    </div>
  );
}
