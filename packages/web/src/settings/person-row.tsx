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
export function nameOfUserRole(role: Person['role']): string {
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

type PersonChange = Parameters<typeof peopleApi.change>[1];

/** A person: role, use of the models, tokens, and whether the account is disabled. */
export function PersonRow({ person, isMe, use, days, onChange }: PersonRowProps): ReactElement {
  const { id, name, disabledAt } = person;
  const [opened, setOpened] = useState<'tokens' | 'limits' | null>(null);
  const change = async (set: PersonChange, done: string) => {
    try {
      await peopleApi.change(id, set);
      showToast({ icon: 'check', text: done });
      await onChange();
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
          <RoleSelect
            person={person}
            disabled={isMe}
            onChange={(role) => void change({ role }, t('roleChanged', { name, role: nameOfUserRole(role) }))}
          />
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
            <MenuItem icon="share" onSelect={() => setOpened(opened === 'tokens' ? null : 'tokens')}>
              {t(opened === 'tokens' ? 'hideTokens' : 'showTokens')}
            </MenuItem>
            {isMe ? null : <DisableItem person={person} onChange={(set, done) => void change(set, done)} />}
          </Menu>
        </div>
      </div>
      {opened === 'limits' ? (
        <section className="settings-form" aria-label={t('limitsOf', { name })}>
          <LimitsForm person={id} />
        </section>
      ) : null}
      {opened === 'tokens' ? <PersonTokens id={id} /> : null}
    </li>
  );
}

interface RoleSelectProps {
  readonly person: Person;
  readonly disabled: boolean;
  readonly onChange: (role: Person['role']) => void;
}

function RoleSelect({ person: { name, role }, disabled, onChange }: RoleSelectProps): ReactElement {
  return (
    <select
      className="input select"
      aria-label={t('roleOf', { name })}
      value={role}
      disabled={disabled}
      onChange={(event) => {
        const next = userRoles.find((each) => each === event.target.value);
        if (next !== undefined) onChange(next);
      }}
    >
      {userRoles.map((each) => (
        <option key={each} value={each}>
          {nameOfUserRole(each)}
        </option>
      ))}
    </select>
  );
}

/** The menu item that disables an account, or enables it again. */
function DisableItem({
  person: { name, disabledAt },
  onChange,
}: {
  readonly person: Person;
  readonly onChange: (set: PersonChange, done: string) => void;
}): ReactElement {
  return disabledAt === null ? (
    <MenuItem icon="x" danger onSelect={() => onChange({ disabled: true }, t('accountDisabled', { name }))}>
      {t('disableAccount')}
    </MenuItem>
  ) : (
    <MenuItem icon="check" onSelect={() => onChange({ disabled: false }, t('accountEnabled', { name }))}>
      {t('enableAccount')}
    </MenuItem>
  );
}

/** The tokens of a person, which an administrator can revoke. */
function PersonTokens({ id }: { readonly id: string }): ReactElement | null {
  const [tokens, setTokens] = useState<readonly AccessToken[] | null>(null);
  const load = useCallback(async () => {
    try {
      setTokens((await peopleApi.tokens(id)).items);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  }, [id]);
  useEffect(() => void load(), [load]);
  const revoke = async (token: AccessToken) => {
    try {
      await peopleApi.revoke(id, token.id);
      showToast({ icon: 'check', text: t('tokenRevoked', { name: token.name }) });
      await load();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  if (tokens === null) return null;
  return (
    <div className="settings-form">
      <TokenList tokens={tokens} onRevoke={(token) => void revoke(token)} />
    </div>
  );
}
