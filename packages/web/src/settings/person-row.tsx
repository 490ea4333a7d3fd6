import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { formatCompact, formatCost, t, tn } from '../i18n/index.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { LimitsForm } from './limits-form.tsx';
import { type AccessToken, type ModelUse, type Person, peopleApi, type UsageList } from './settings-api.ts';
import { TokenList } from './token-list.tsx';

/** The roles, most rights first. */
export const userRoles = ['admin', 'member', 'viewer'] as const satisfies readonly Person['role'][];
const roleNames = { admin: 'roleAdmin', member: 'roleMember', viewer: 'roleViewer' } as const;

/** The name of a role in the language of the page. */
export function roleName(role: Person['role']): string {
  return t(roleNames[role]);
}

function formatUse({ calls, tokens, usd }: ModelUse): string {
  const words = `${tn('replyCount', calls)}, ${tn('tokenCount', tokens, { n: formatCompact(tokens) })}`;
  return usd === 0 ? words : `${words}, ${formatCost(usd, usd < 0.01 ? 4 : 2)}`;
}

interface PersonRowProps {
  readonly person: Person;
  readonly isMe: boolean;
  readonly use: UsageList['items'][number] | undefined;
  readonly days: number;
  readonly onChange: () => Promise<void>;
}

/** A person: role, use of the models, tokens, and whether the account is disabled. */
export function PersonRow({ person, isMe, use, days, onChange }: PersonRowProps): ReactElement {
  const { id, name, role, disabledAt } = person;
  const [opened, setOpened] = useState<'tokens' | 'limits' | null>(null);
  const isOpen = opened === 'tokens';
  const [tokens, setTokens] = useState<readonly AccessToken[] | null>(null);
  const load = useCallback(async () => {
    try {
      setTokens((await peopleApi.tokens(id)).items);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  }, [id]);
  useEffect(() => {
    if (isOpen) void load();
  }, [isOpen, load]);
  const change = async (set: Parameters<typeof peopleApi.change>[1], said: string) => {
    try {
      await peopleApi.change(id, set);
      showToast({ icon: 'check', text: said });
      await onChange();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  const revoke = async (token: AccessToken) => {
    try {
      await peopleApi.revoke(id, token.id);
      showToast({ icon: 'check', text: t('tokenRevoked', { name: token.name }) });
      await load();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <li className={opened === null ? 'row-item' : 'row-item open'}>
      <div className="row-line">
        <div className="row-name">
          <b>{isMe ? t('nameYou', { name }) : name}</b>
          {id === name ? null : <span className="row-detail">{id}</span>}
          <span className="row-detail">
            {use === undefined
              ? t('noUse', { n: days })
              : t('usedInDays', { n: days, use: formatUse(use.period), today: formatUse(use.today) })}
          </span>
        </div>
        {disabledAt === null ? (
          <select
            className="input select"
            aria-label={t('roleOf', { name })}
            value={role}
            disabled={isMe}
            onChange={(event) => {
              const next = userRoles.find((each) => each === event.target.value);
              if (next !== undefined) void change({ role: next }, t('roleChanged', { name, role: roleName(next) }));
            }}
          >
            {userRoles.map((each) => (
              <option key={each} value={each}>
                {roleName(each)}
              </option>
            ))}
          </select>
        ) : (
          <span className="state warn">
            <Icon name="warn" />
            {t('disabledAccount')}
          </span>
        )}
        <div className="row-end">
          <Menu trigger={<IconButton icon="more" label={t('moreFor', { name })} />}>
            <MenuItem icon="sliders" onSelect={() => setOpened(opened === 'limits' ? null : 'limits')}>
              {t(opened === 'limits' ? 'hideLimits' : 'setLimits')}
            </MenuItem>
            <MenuItem icon="share" onSelect={() => setOpened(isOpen ? null : 'tokens')}>
              {t(isOpen ? 'hideTokens' : 'showTokens')}
            </MenuItem>
            {isMe ? null : disabledAt === null ? (
              <MenuItem
                icon="x"
                danger
                onSelect={() => void change({ disabled: true }, t('accountDisabled', { name }))}
              >
                {t('disableAccount')}
              </MenuItem>
            ) : (
              <MenuItem icon="check" onSelect={() => void change({ disabled: false }, t('accountEnabled', { name }))}>
                {t('enableAccount')}
              </MenuItem>
            )}
          </Menu>
        </div>
      </div>
      {opened === 'limits' ? (
        <section className="settings-form" aria-label={t('limitsOf', { name })}>
          <LimitsForm person={id} />
        </section>
      ) : null}
      {isOpen && tokens !== null ? (
        <div className="settings-form">
          <TokenList tokens={tokens} onRevoke={(token) => void revoke(token)} />
        </div>
      ) : null}
    </li>
  );
}
