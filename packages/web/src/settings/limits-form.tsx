import { toHttpProblem } from '@coppice/client';
import { type FormEvent, type ReactElement, useEffect, useId, useState } from 'react';
import { type TextKey, t } from '../i18n/index.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { type LimitsView, peopleApi, type UserLimits } from './settings-api.ts';

const megabyte = 1024 * 1024;

const fields: readonly {
  readonly name: keyof UserLimits;
  readonly label: TextKey;
  readonly hint: TextKey;
  readonly unit: number;
}[] = [
  { name: 'dayUsd', label: 'limitDay', hint: 'limitDayHint', unit: 1 },
  { name: 'generations', label: 'limitReplies', hint: 'limitRepliesHint', unit: 1 },
  { name: 'requestsPerMinute', label: 'limitRequests', hint: 'limitRequestsHint', unit: 1 },
  { name: 'uploadBytesPerDay', label: 'limitUploads', hint: 'limitUploadsHint', unit: megabyte },
];

/** The limits of one person, or of all: the daily budget of the server and the limits of each person. */
export function LimitsForm({ person = null }: { readonly person?: string | null }): ReactElement | null {
  const [view, setView] = useState<LimitsView | null>(null);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const id = useId();
  useEffect(() => {
    const reading = person === null ? peopleApi.limits() : peopleApi.limitsOf(person);
    reading.then(setView, (thrown) => showError(toHttpProblem(thrown)));
  }, [person]);
  if (view === null) return null;
  const shown = (name: keyof UserLimits, unit: number, from: UserLimits) => {
    const value = from[name];
    return value === null ? '' : String(Math.round((value / unit) * 100) / 100);
  };
  const valueOf = (name: keyof UserLimits, unit: number): number | null => {
    const text = texts[name] ?? shown(name, unit, view.chosen);
    const value = Number(text) * unit;
    if (text.trim() === '' || !(value > 0)) return null;
    return name === 'dayUsd' ? value : Math.max(1, Math.round(value));
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const limits = {
        dayUsd: valueOf('dayUsd', 1),
        generations: valueOf('generations', 1),
        requestsPerMinute: valueOf('requestsPerMinute', 1),
        uploadBytesPerDay: valueOf('uploadBytesPerDay', megabyte),
      };
      setView(await (person === null ? peopleApi.chooseLimits(limits) : peopleApi.chooseLimitsOf(person, limits)));
      setTexts({});
      showToast({ icon: 'check', text: t('limitsSaved') });
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <>
      {person === null ? <h2>{t('limits')}</h2> : null}
      <form className="rows" onSubmit={(event) => void save(event)}>
        {fields.map(({ name, label, hint, unit }) => (
          <div key={name} className="row-item setting-row">
            <div className="grow">
              <label htmlFor={`${id}-${name}`}>
                <b>{t(label)}</b>
              </label>
              <span className="row-detail">
                {person === null ? `${t(hint)} ` : ''}
                {view.inForce[name] === view.chosen[name] || view.inForce[name] === null
                  ? ''
                  : t('activeLimit', { value: shown(name, unit, view.inForce) })}
              </span>
            </div>
            <input
              id={`${id}-${name}`}
              className="input number"
              inputMode="decimal"
              disabled={!view.editable}
              value={texts[name] ?? shown(name, unit, view.chosen)}
              placeholder={person !== null && name !== 'dayUsd' ? t('asEverybody') : t('noLimit')}
              onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
            />
          </div>
        ))}
        <div className="form-foot row-item">
          <p className="help grow">
            {t(!view.editable ? 'limitsFixed' : person === null ? 'limitsHint' : 'personLimitsHint')}
          </p>
          <Button look="primary" type="submit" disabled={!view.editable || Object.keys(texts).length === 0}>
            {t('save')}
          </Button>
        </div>
      </form>
    </>
  );
}
