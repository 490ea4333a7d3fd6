import { asProblem } from '@coppice/client';
import { type ReactElement, useId } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { showError } from '../state/tree-actions.ts';
import { type ModelChoices, settingsApi } from './settings-api.ts';

interface ModelChoiceProps {
  readonly choices: ModelChoices;
  readonly onChange: () => Promise<void>;
}

/** Which model answers new chats, and which one writes titles. */
export function ModelChoiceRows({ choices, onChange }: ModelChoiceProps): ReactElement {
  const choose = (set: Partial<ModelChoices>) => {
    settingsApi.chooseModels(set).then(onChange, (thrown) => showError(asProblem(thrown)));
  };
  return (
    <>
      <h2>{t('whichModel')}</h2>
      <div className="rows">
        <ChoiceRow
          label={t('defaultModel')}
          hint={t('defaultModelHint')}
          value={choices.defaultModel}
          onChoose={(defaultModel) => choose({ defaultModel })}
        />
        <ChoiceRow
          label={t('titleModel')}
          hint={t('titleModelHint')}
          value={choices.titleModel}
          onChoose={(titleModel) => choose({ titleModel })}
        />
      </div>
    </>
  );
}

interface ChoiceRowProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string | null;
  readonly onChoose: (model: string | null) => void;
}

function ChoiceRow({ label, hint, value, onChoose }: ChoiceRowProps): ReactElement {
  const models = useAppData((lists) => lists.models);
  const ready = models.filter((model) => model.ready);
  const providers = [...new Set(ready.map((model) => model.providerLabel ?? model.provider))];
  const id = useId();
  return (
    <div className="row-item setting-row">
      <div className="grow">
        <label htmlFor={id}>
          <b>{label}</b>
        </label>
        <span className="row-detail">{hint}</span>
      </div>
      <select
        id={id}
        className="input select"
        value={value ?? ''}
        onChange={(event) => onChoose(event.target.value === '' ? null : event.target.value)}
      >
        <option value="">{t('automatic')}</option>
        {value !== null && !ready.some((model) => model.id === value) ? <option value={value}>{value}</option> : null}
        {providers.map((provider) => (
          <optgroup key={provider} label={provider}>
            {ready
              .filter((model) => (model.providerLabel ?? model.provider) === provider)
              .map((model) => (
                <option key={model.id} value={model.id}>
                  {model.label ?? model.id}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}
