import { type FormEvent, type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { LogoMark } from '../ui/logo.tsx';

/** Asks for the token that the command line printed. It goes to the server and into a cookie; the page keeps none. */
export function SignIn(): ReactElement {
  const [token, setToken] = useState('');
  const enter = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') location.assign(`/?token=${encodeURIComponent(token.trim())}`);
  };
  return (
    <main className="main alone">
      <form className="empty" onSubmit={enter}>
        <span className="logo">
          <LogoMark size={44} />
        </span>
        <h1>{t('signIn')}</h1>
        <p>{t('signInWords')}</p>
        <input
          className="field wide-field"
          type="password"
          autoComplete="current-password"
          aria-label={t('token')}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <Button look="primary" type="submit">
          {t('enter')}
        </Button>
      </form>
    </main>
  );
}
