import { toHttpProblem } from '@coppice/client';
import { type FormEvent, type ReactElement, useCallback, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { NameAndChoiceForm } from './name-and-choice.tsx';
import { NewTokenNotice } from './new-token-notice.tsx';
import { type AccessToken, peopleApi } from './settings-api.ts';
import { TokenList } from './token-list.tsx';

const day = 86_400_000;

/** The user's own tokens on a shared server: for other devices, programs and the recording proxy. */
export function OwnTokens(): ReactElement {
  const [tokens, setTokens] = useState<readonly AccessToken[] | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const load = useCallback(async () => {
    try {
      setTokens((await peopleApi.ownTokens()).items);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  }, []);
  useEffect(() => void load(), [load]);
  const revoke = async (token: AccessToken) => {
    try {
      await peopleApi.revokeOwn(token.id);
      await load();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <>
      <h2>{t('yourTokens')}</h2>
      <p className="help">{t('yourTokensHint')}</p>
      {secret === null ? (
        <NewTokenForm
          onCreated={(created) => {
            setSecret(created);
            void load();
          }}
        />
      ) : (
        <NewTokenNotice label={t('newToken')} secret={secret} onDone={() => setSecret(null)} />
      )}
      {tokens === null ? null : (
        <div className="rows">
          <div className="row-item">
            <TokenList tokens={tokens} onRevoke={(token) => void revoke(token)} />
          </div>
        </div>
      )}
    </>
  );
}

/** Creates a token with a name and an expiry. Its secret is shown once. */
function NewTokenForm({ onCreated }: { readonly onCreated: (secret: string) => void }): ReactElement {
  const [name, setName] = useState('');
  const [days, setDays] = useState<'30' | '90' | '365' | ''>('90');
  const create = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const expiresAt = days === '' ? null : Date.now() + Number(days) * day;
      const { secret } = await peopleApi.addToken({ name: name.trim() || t('tokenNameExample'), expiresAt });
      onCreated(secret);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <form className="settings-form" onSubmit={(event) => void create(event)}>
      <NameAndChoiceForm
        name={name}
        onName={setName}
        example={t('tokenNameExample')}
        label={t('expires')}
        choice={days}
        choices={[
          { value: '30', label: t('oneMonth') },
          { value: '90', label: t('threeMonths') },
          { value: '365', label: t('oneYear') },
          { value: '', label: t('never') },
        ]}
        onChoice={setDays}
      >
        <Button look="primary" type="submit">
          {t('createToken')}
        </Button>
      </NameAndChoiceForm>
    </form>
  );
}
