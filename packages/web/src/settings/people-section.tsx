import { toHttpProblem } from '@coppice/client';
import { type FormEvent, type ReactElement, useCallback, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { LimitsForm } from './limits-form.tsx';
import { NameAndChoiceForm } from './name-and-choice.tsx';
import { NewTokenNotice } from './new-token-notice.tsx';
import { nameOfUserRole, PersonRow, userRoles } from './person-row.tsx';
import { SectionHead } from './section-head.tsx';
import { type Person, peopleApi, type UsageList } from './settings-api.ts';
import { useSignedIn } from './use-signed-in.ts';

/** The people of a shared server, for its admins: roles, tokens, limits and use. */
export function PeopleSection(): ReactElement {
  const me = useSignedIn();
  const [people, setPeople] = useState<readonly Person[] | null>(null);
  const [usage, setUsage] = useState<UsageList | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [isForbidden, setForbidden] = useState(false);
  const load = useCallback(async () => {
    try {
      const [list, used] = await Promise.all([peopleApi.list(), peopleApi.usage()]);
      setPeople(list.items);
      setUsage(used);
    } catch (thrown) {
      const problem = toHttpProblem(thrown);
      if (problem.status === 403 || problem.status === 404) setForbidden(true);
      else showError(problem);
    }
  }, []);
  useEffect(() => void load(), [load]);
  return (
    <>
      <SectionHead
        title={t('people')}
        lead={t(isForbidden ? 'peopleForbidden' : 'peopleLead')}
        action={
          isForbidden || isAdding ? null : (
            <Button icon="plus" onClick={() => setAdding(true)}>
              {t('addPerson')}
            </Button>
          )
        }
      />
      {isAdding ? <AddPerson onChange={load} onDone={() => setAdding(false)} /> : null}
      {people === null ? null : (
        <ul className="rows people" aria-label={t('people')}>
          {people.map((person) => (
            <PersonRow
              key={person.id}
              person={person}
              isMe={person.id === me?.id}
              use={usage?.items.find((item) => item.userId === person.id)}
              days={usage?.days ?? 30}
              onChange={load}
            />
          ))}
        </ul>
      )}
      {people === null ? null : <LimitsForm />}
    </>
  );
}

function AddPerson({
  onChange,
  onDone,
}: {
  readonly onChange: () => Promise<void>;
  readonly onDone: () => void;
}): ReactElement {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Person['role']>('member');
  const [made, setMade] = useState<{ readonly name: string; readonly token: string } | null>(null);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    try {
      const { user, token } = await peopleApi.add({ name: name.trim(), role });
      setMade({ name: user.name, token });
      await onChange();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  if (made !== null)
    return <NewTokenNotice label={t('personAdded', { name: made.name })} secret={made.token} onDone={onDone} />;
  return (
    <form className="settings-form" onSubmit={(event) => void add(event)}>
      <NameAndChoiceForm
        focused
        name={name}
        onName={setName}
        label={t('role')}
        choice={role}
        choices={userRoles.map((each) => ({ value: each, label: nameOfUserRole(each) }))}
        onChoice={setRole}
      />
      <div className="form-foot">
        <p className="help grow">{t('rolesHint')}</p>
        <Button look="quiet" onClick={onDone}>
          {t('cancel')}
        </Button>
        <Button look="primary" type="submit" disabled={name.trim() === ''}>
          {t('addPerson')}
        </Button>
      </div>
    </form>
  );
}
