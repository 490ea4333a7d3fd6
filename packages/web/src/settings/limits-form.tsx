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

type LimitField = (typeof fields)[number];

/** Formats a limit in the unit of its field; an empty text means no limit. */
function limitText(limits: UserLimits, { name, unit }: Pick<LimitField, 'name' | 'unit'>): string {
  const value = limits[name];
  return value === null ? '' : String(Math.round((value / unit) * 100) / 100);
}

/** Parses a typed limit. Returns null, which means no limit, unless the text is a positive number. */
function parseLimit(text: string, { name, unit }: LimitField): number | null {
  const value = Number(text) * unit;
  if (text.trim() === '' || !(value > 0)) return null;
  return name === 'dayUsd' ? value : Math.max(1, Math.round(value));
}

/** The limits of one person, or of all: the daily budget of the server and the limits of each person. */
export function LimitsForm({ person = null }: { readonly person?: string | null }): ReactElement | null {
  const [view, setView] = useState<LimitsView | null>(null);
  const [texts, setTexts] = useState<Readonly<Partial<Record<keyof UserLimits, string>>>>({});
  useEffect(() => {
    const reading = person === null ? peopleApi.limits() : peopleApi.limitsOf(person);
    reading.then(setView, (thrown) => showError(toHttpProblem(thrown)));
  }, [person]);
  if (view === null) return null;
  const textOf = (field: LimitField) => texts[field.name] ?? limitText(view.chosen, field);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const limits = { ...view.chosen };
      for (const field of fields) limits[field.name] = parseLimit(textOf(field), field);
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
        {fields.map((field) => (
          <LimitRow
            key={field.name}
            field={field}
            view={view}
            isPerson={person !== null}
            text={textOf(field)}
            onChange={(text) => setTexts({ ...texts, [field.name]: text })}
          />
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

interface LimitRowProps {
  readonly field: LimitField;
  readonly view: LimitsView;
  /** Whether this is the limit of one person. Without one, the limit of every person applies. */
  readonly isPerson: boolean;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A limit, and the value in force if another limit is lower. */
function LimitRow({ field, view, isPerson, text, onChange }: LimitRowProps): ReactElement {
  const { name, label, hint } = field;
  const id = useId();
  const isOther = view.inForce[name] !== null && view.inForce[name] !== view.chosen[name];
  return (
    <div className="row-item setting-row">
      <div className="grow">
        <label htmlFor={id}>
          <b>{t(label)}</b>
        </label>
        <span className="row-detail">
          {isPerson ? '' : `${t(hint)} `}
          {isOther ? t('activeLimit', { value: limitText(view.inForce, field) }) : ''}
        </span>
      </div>
      <input
        id={id}
        className="input number"
        inputMode="decimal"
        disabled={!view.editable}
        value={text}
        placeholder={isPerson && name !== 'dayUsd' ? t('asEverybody') : t('noLimit')}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
