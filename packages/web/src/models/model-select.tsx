import type { ReactElement } from 'react';
import { translateBuiltInName } from '../i18n/command-texts.ts';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';

/**
 * A field that selects one of the ready models, or none. It also works in dialogs, which cover the menu of the
 * composer.
 */
export function ModelSelect({
  value,
  onChoose,
  id,
  className,
}: {
  readonly value: string | null;
  readonly onChoose: (model: string | null) => void;
  readonly id?: string;
  readonly className: string;
}): ReactElement {
  const ready = useAppData((lists) => lists.models).filter((model) => model.ready);
  const providers = [...new Set(ready.map((model) => model.providerLabel ?? model.provider))];
  return (
    <select
      {...(id === undefined ? {} : { id })}
      className={className}
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">{t('automatic')}</option>
      {value !== null && !ready.some((model) => model.id === value) ? <option value={value}>{value}</option> : null}
      {providers.map((provider) => (
        <optgroup key={provider} label={translateBuiltInName(provider)}>
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
  );
}
