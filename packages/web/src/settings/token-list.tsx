import type { ReactElement } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import type { AccessToken } from './settings-api.ts';

/** Whether a token can still be used. */
function isValid({ revokedAt, expiresAt }: AccessToken): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > Date.now());
}

/** Lists the valid tokens, each with a button that revokes it. */
export function TokenList({
  tokens,
  onRevoke,
}: {
  readonly tokens: readonly AccessToken[];
  readonly onRevoke: (token: AccessToken) => void;
}): ReactElement {
  const shown = tokens.filter(isValid);
  if (shown.length === 0) return <p className="help">{t('noTokens')}</p>;
  return (
    <ul className="token-list" aria-label={t('tokenListName')}>
      {shown.map((token) => (
        <li key={token.id} className="setting-row">
          <div className="grow">
            <b>{token.name}</b>
            <span className="row-detail">
              {token.usedAt === null ? t('neverUsed') : t('lastUsed', { when: formatTime(token.usedAt) })}
              {token.expiresAt === null
                ? ''
                : `, ${t('until', { when: formatTime(token.expiresAt, token.expiresAt - 90 * 86_400_000) })}`}
            </span>
          </div>
          <Button small aria-label={t('revokeNamed', { name: token.name })} onClick={() => onRevoke(token)}>
            {t('revoke')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
