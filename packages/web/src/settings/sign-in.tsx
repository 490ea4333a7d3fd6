import { toHttpProblem } from '@coppice/client';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { localizeError } from '../i18n/refusals.ts';
import { reloadAfterSignIn } from '../state/app-data.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LogoMark } from '../ui/logo.tsx';
import { TranslatedTextView } from '../ui/translated-text.tsx';
import { settingsApi } from './settings-api.ts';

interface SignInForm {
  readonly token: string;
  readonly setToken: (token: string) => void;
  readonly busy: boolean;
  /** Why the last attempt failed; null before the first one and after a success. */
  readonly problem: ReactElement | null;
  readonly isShared: boolean;
  submit(event: FormEvent): void;
}

/**
 * Signs in by a request, so that the page is not reloaded. The token is stored in a cookie; the page does not keep it.
 */
function useSignIn(): SignInForm {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ReactElement | null>(null);
  const [isShared, setShared] = useState(false);
  useEffect(() => {
    settingsApi.signInMode().then(
      ({ mode }) => setShared(mode === 'users'),
      () => undefined,
    );
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() === '' || busy) return;
    setBusy(true);
    settingsApi
      .signIn(token.trim())
      .then(reloadAfterSignIn, (thrown) => {
        const refused = toHttpProblem(thrown);
        setProblem(refused.signedOut ? <>{t('wrongToken')}</> : <TranslatedTextView {...localizeError(refused)} />);
      })
      .finally(() => setBusy(false));
  };
  return { token, setToken, busy, problem, isShared, submit };
}

/** The sign-in shown instead of the page. */
export function SignIn(): ReactElement {
  const form = useSignIn();
  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <span className="logo">
          <LogoMark />
          Coppice
        </span>
        <form className="sign-in-form" onSubmit={form.submit}>
          <h1>{t('signIn')}</h1>
          <div>
            <label className="label" htmlFor="token">
              {t(form.isShared ? 'yourToken' : 'localToken')}
            </label>
            <input
              id="token"
              className="input mono"
              type="password"
              autoComplete="current-password"
              placeholder={t('pasteToken')}
              value={form.token}
              aria-invalid={form.problem !== null}
              aria-describedby="token-help"
              onChange={(event) => form.setToken(event.target.value)}
            />
          </div>
          {form.problem === null ? null : (
            <div className="result bad" role="alert">
              <Icon name="warn" />
              <span>{form.problem}</span>
            </div>
          )}
          <p id="token-help" className="help">
            {t(form.isShared ? 'signInHelpUsers' : 'signInHelp')}
          </p>
          <Button look="primary" type="submit" disabled={form.busy}>
            {t('signInButton')}
          </Button>
        </form>
      </div>
    </main>
  );
}

/** The sign-in above the composer: the chat stays readable, and the draft and the waiting changes are kept. */
export function SignInStrip({ waiting }: { readonly waiting: number }): ReactElement {
  const form = useSignIn();
  return (
    <form className="signed-out" onSubmit={form.submit}>
      <Icon name="warn" />
      <p className="grow" role="status">
        <b>{t('signedOut')}</b> {form.problem ?? (waiting > 0 ? tn('signedOutWaiting', waiting) : t('signedOutDraft'))}
      </p>
      <input
        className="input mono"
        type="password"
        autoComplete="current-password"
        aria-label={t(form.isShared ? 'yourToken' : 'localToken')}
        placeholder={t(form.isShared ? 'yourToken' : 'localToken')}
        value={form.token}
        onChange={(event) => form.setToken(event.target.value)}
      />
      <Button look="primary" type="submit" disabled={form.busy}>
        {t('signInButton')}
      </Button>
    </form>
  );
}
