import { toHttpProblem } from '@coppice/client';
import { type FormEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { localizeError } from '../i18n/refusals.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LocalizedError } from '../ui/refusal.tsx';
import { type ToolServerFields, type ToolServerList, toolsApi } from './settings-api.ts';
import { splitCommand } from './split-command.ts';

interface AddToolServerProps {
  readonly mayAdd: ToolServerList['mayAdd'];
  readonly onAdded: (list: ToolServerList) => void;
  readonly onCancel: () => void;
}

/** Variables as lines `NAME=value`; lines without a name are ignored. */
function parseVariables(text: string): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) found.push([name, value ?? '']);
  }
  return Object.fromEntries(found);
}

/** The lines for the configuration file, if a server cannot be added here. */
function configLines(name: string, url: string, command: readonly string[]): string {
  const rest = url === '' ? `command = ${JSON.stringify(command)}` : `url = ${JSON.stringify(url)}`;
  return `[mcp.servers.${name === '' ? 'name' : name}]\n${rest}`;
}

/** Adds a server: by its URL, or by a command that is shown as it will run and confirmed with the token. */
export function AddToolServer({ mayAdd, onAdded, onCancel }: AddToolServerProps): ReactElement {
  const [kind, setKind] = useState<'address' | 'command'>('address');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [line, setLine] = useState('');
  const [variables, setVariables] = useState('');
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactElement | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => first.current?.focus(), []);
  const command = splitCommand(line);
  const env = parseVariables(variables);
  const may = kind === 'address' ? mayAdd.addresses : mayAdd.commands;
  const add = (event: FormEvent) => {
    event.preventDefault();
    const fields: ToolServerFields =
      kind === 'address' ? { url: url.trim(), ...(key === '' ? {} : { key }) } : { command, env, token };
    setBusy(true);
    toolsApi
      .add(name.trim(), fields)
      .then(onAdded, (thrown) => setProblem(<LocalizedError {...localizeError(toHttpProblem(thrown))} />))
      .finally(() => setBusy(false));
  };
  return (
    <section className="rows" aria-label={t('addServer')}>
      <form className="row-item settings-form add-server" onSubmit={add}>
        <fieldset className="seg">
          <legend className="sr">{t('serverKind')}</legend>
          {(['address', 'command'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
              {t(each === 'address' ? 'address' : 'commandHere')}
            </button>
          ))}
        </fieldset>
        <div className="form-pair">
          <div>
            <label className="label" htmlFor={`${id}-name`}>
              {t('connectionName')}
            </label>
            <input
              id={`${id}-name`}
              ref={first}
              className="input"
              value={name}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          {kind === 'address' ? (
            <div>
              <label className="label" htmlFor={`${id}-url`}>
                {t('address')}
              </label>
              <input
                id={`${id}-url`}
                className="input mono"
                value={url}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://example.com/mcp"
                onChange={(event) => setUrl(event.target.value)}
              />
            </div>
          ) : (
            <div>
              <label className="label" htmlFor={`${id}-command`}>
                {t('command')}
              </label>
              <input
                id={`${id}-command`}
                className="input mono"
                value={line}
                autoComplete="off"
                spellCheck={false}
                placeholder="uvx mcp-server-git --repository /home/me/work"
                onChange={(event) => setLine(event.target.value)}
              />
            </div>
          )}
        </div>
        {kind === 'address' && may ? (
          <div>
            <label className="label" htmlFor={`${id}-key`}>
              {t('serverKey')}
            </label>
            <input
              id={`${id}-key`}
              className="input mono"
              type="password"
              value={key}
              autoComplete="off"
              onChange={(event) => setKey(event.target.value)}
            />
          </div>
        ) : null}
        {kind === 'command' && may ? (
          <>
            <div>
              <label className="label" htmlFor={`${id}-env`}>
                {t('variables')}
              </label>
              <textarea
                id={`${id}-env`}
                className="input mono"
                rows={2}
                value={variables}
                spellCheck={false}
                placeholder="API_TOKEN=…"
                onChange={(event) => setVariables(event.target.value)}
              />
            </div>
            <div>
              <span className="label">{t('exactCommand')}</span>
              <pre className="definition">
                <span>argv {JSON.stringify(command)}</span>
                <span>env {['PATH', 'HOME', 'LANG', ...Object.keys(env)].join(', ')}</span>
              </pre>
            </div>
            <div>
              <label className="label" htmlFor={`${id}-token`}>
                {t('signInAgain')}
              </label>
              <input
                id={`${id}-token`}
                className="input mono"
                type="password"
                value={token}
                autoComplete="current-password"
                placeholder={t('localToken')}
                onChange={(event) => setToken(event.target.value)}
              />
            </div>
          </>
        ) : null}
        {may ? null : (
          <div>
            <span className="label">{t('linesForFile')}</span>
            <pre className="definition">
              <span>{configLines(name.trim(), kind === 'address' ? url.trim() : '', command)}</span>
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
            <Button
              look="primary"
              type="submit"
              disabled={
                busy ||
                name.trim() === '' ||
                (kind === 'command' ? command.length === 0 || token === '' : url.trim() === '')
              }
            >
              {t(kind === 'command' ? 'addAndStart' : 'addServer')}
            </Button>
          ) : null}
        </div>
      </form>
    </section>
  );
}
