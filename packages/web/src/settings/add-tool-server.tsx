import { toHttpProblem } from '@coppice/client';
import { type FormEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { localizeError } from '../i18n/refusals.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { TextField } from '../ui/text-field.tsx';
import { TranslatedTextView } from '../ui/translated-text.tsx';
import { type ToolServerFields, type ToolServerList, toolsApi } from './settings-api.ts';
import { splitCommandLine } from './split-command-line.ts';

interface AddToolServerProps {
  readonly mayAdd: ToolServerList['mayAdd'];
  readonly onAdded: (list: ToolServerList) => void;
  readonly onCancel: () => void;
}

/** Parses lines `NAME=value`; empty lines are left out. `wrong` is the first line that is not like this. */
function parseVariables(text: string): {
  readonly values: Readonly<Record<string, string>>;
  readonly wrong: string | null;
} {
  const found: [string, string][] = [];
  let wrong: string | null = null;
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) found.push([name, value ?? '']);
    else if (line.trim() !== '') wrong ??= line.trim();
  }
  return { values: Object.fromEntries(found), wrong };
}

/** The lines to add to the configuration file, if a server cannot be added here. */
function configLines(name: string, url: string, command: readonly string[]): string {
  const rest = url === '' ? `command = ${JSON.stringify(command)}` : `url = ${JSON.stringify(url)}`;
  return `[mcp.servers.${name === '' ? 'name' : name}]\n${rest}`;
}

/** How a server is reached: by its address, or by a command that starts it here. */
type ServerKind = 'address' | 'command';

/** The fields of the form as the user typed them. */
interface ServerDraft {
  readonly kind: ServerKind;
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly line: string;
  readonly variables: string;
  readonly token: string;
}

const emptyServer: ServerDraft = { kind: 'address', name: '', url: '', key: '', line: '', variables: '', token: '' };

function fieldsOf({ kind, url, key, line, variables, token }: ServerDraft): ToolServerFields {
  return kind === 'address'
    ? { url: url.trim(), ...(key === '' ? {} : { key }) }
    : { command: splitCommandLine(line), env: parseVariables(variables).values, token };
}

function isComplete({ kind, name, url, line, variables, token }: ServerDraft): boolean {
  if (name.trim() === '') return false;
  if (kind === 'address') return url.trim() !== '';
  return splitCommandLine(line).length > 0 && token !== '' && parseVariables(variables).wrong === null;
}

/** Adds a server: by its URL, or by a command that is shown as it will run and confirmed with the token. */
export function AddToolServer({ mayAdd, onAdded, onCancel }: AddToolServerProps): ReactElement {
  const [draft, setDraft] = useState(emptyServer);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactElement | null>(null);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const change = (changed: Partial<ServerDraft>) => setDraft((now) => ({ ...now, ...changed }));
  const { kind, name, url } = draft;
  const may = kind === 'address' ? mayAdd.addresses : mayAdd.commands;
  const add = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    toolsApi
      .add(name.trim(), fieldsOf(draft))
      .then(onAdded, (thrown) => setProblem(<TranslatedTextView {...localizeError(toHttpProblem(thrown))} />))
      .finally(() => setBusy(false));
  };
  return (
    <section className="rows" aria-label={t('addServer')}>
      <form className="row-item settings-form add-server" onSubmit={add}>
        <KindChoice kind={kind} onKind={(chosen) => change({ kind: chosen })} />
        <div className="form-pair">
          <TextField label={t('connectionName')} value={name} onText={(text) => change({ name: text })} field={first} />
          <AddressOrCommandField draft={draft} change={change} />
        </div>
        {kind === 'address' && may ? (
          <TextField mono label={t('serverKey')} type="password" value={draft.key} onText={(key) => change({ key })} />
        ) : null}
        {kind === 'command' && may ? <CommandFields draft={draft} change={change} /> : null}
        {may ? null : (
          <div>
            <span className="label">{t('linesForFile')}</span>
            <pre className="definition">
              <span>
                {configLines(name.trim(), kind === 'address' ? url.trim() : '', splitCommandLine(draft.line))}
              </span>
            </pre>
          </div>
        )}
        {problem === null ? null : (
          <div className="result bad" role="alert">
            <Icon name="warn" />
            <span>{problem}</span>
          </div>
        )}
        <div className="form-foot">
          <p className="help grow">{t(kind === 'command' ? 'commandHelp' : 'addressHelp')}</p>
          <Button look="quiet" onClick={onCancel}>
            {t('cancel')}
          </Button>
          {may ? (
            <Button look="primary" type="submit" disabled={busy || !isComplete(draft)}>
              {t(kind === 'command' ? 'addAndStart' : 'addServer')}
            </Button>
          ) : null}
        </div>
      </form>
    </section>
  );
}

function KindChoice({ kind, onKind }: { readonly kind: ServerKind; readonly onKind: (kind: ServerKind) => void }) {
  return (
    <fieldset className="seg">
      <legend className="sr">{t('serverKind')}</legend>
      {(['address', 'command'] as const).map((each) => (
        <button key={each} type="button" aria-pressed={kind === each} onClick={() => onKind(each)}>
          {t(each === 'address' ? 'address' : 'commandHere')}
        </button>
      ))}
    </fieldset>
  );
}

interface DraftFieldsProps {
  readonly draft: ServerDraft;
  readonly change: (changed: Partial<ServerDraft>) => void;
}

/** The address of the server, or the command that starts it. */
function AddressOrCommandField({ draft, change }: DraftFieldsProps): ReactElement {
  return draft.kind === 'address' ? (
    <TextField
      mono
      key="address"
      label={t('address')}
      value={draft.url}
      onText={(url) => change({ url })}
      inputMode="url"
      spellCheck={false}
      placeholder="https://example.com/mcp"
    />
  ) : (
    <TextField
      mono
      key="command"
      label={t('command')}
      value={draft.line}
      onText={(line) => change({ line })}
      spellCheck={false}
      placeholder="uvx mcp-server-git --repository /home/me/work"
    />
  );
}

/** The variables of a command, the command exactly as it will run, and the token that confirms it. */
function CommandFields({ draft, change }: DraftFieldsProps): ReactElement {
  const id = useId();
  const { values, wrong } = parseVariables(draft.variables);
  const names = [...new Set(['PATH', 'HOME', 'LANG', ...Object.keys(values)])];
  return (
    <>
      <div>
        <label className="label" htmlFor={id}>
          {t('variables')}
        </label>
        <textarea
          id={id}
          className="input mono"
          rows={2}
          value={draft.variables}
          spellCheck={false}
          placeholder="API_TOKEN=…"
          aria-invalid={wrong !== null}
          aria-describedby={wrong === null ? undefined : `${id}-wrong`}
          onChange={(event) => change({ variables: event.target.value })}
        />
        {wrong === null ? null : (
          <p id={`${id}-wrong`} className="warn-text" role="status">
            {t('variableLineWrong', { line: wrong })}
          </p>
        )}
      </div>
      <div>
        <span className="label">{t('exactCommand')}</span>
        <pre className="definition">
          <span>argv {JSON.stringify(splitCommandLine(draft.line))}</span>
          <span>env {names.join(', ')}</span>
        </pre>
      </div>
      <TextField
        mono
        label={t('signInAgain')}
        type="password"
        value={draft.token}
        onText={(token) => change({ token })}
        autoComplete="current-password"
        placeholder={t('localToken')}
      />
    </>
  );
}
