import { toHttpProblem } from '@coppice/client';
import { type ReactElement, useId } from 'react';
import { t } from '../i18n/index.ts';
import { ModelSelect } from '../models/model-select.tsx';
import { showError } from '../state/tree-actions.ts';
import { type ModelChoices, settingsApi } from './settings-api.ts';

interface ModelChoiceProps {
  readonly choices: ModelChoices;
  readonly onChange: () => Promise<void>;
}

/** Rows that choose the model for new chats and the model for titles. */
export function ModelChoiceRows({ choices, onChange }: ModelChoiceProps): ReactElement {
  const choose = (set: Partial<ModelChoices>) => {
    settingsApi.chooseModels(set).then(onChange, (thrown) => showError(toHttpProblem(thrown)));
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
  const id = useId();
  return (
    <div className="row-item setting-row">
      <div className="grow">
        <label htmlFor={id}>
          <b>{label}</b>
        </label>
        <span className="row-detail">{hint}</span>
      </div>
      <ModelSelect id={id} className="input select" value={value} onChoose={onChoose} />
    </div>
  );
}
