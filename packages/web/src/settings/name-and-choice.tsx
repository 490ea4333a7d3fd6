import { type ReactElement, type ReactNode, useId } from 'react';
import { t } from '../i18n/index.ts';

interface NameAndChoiceProps<T extends string> {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly example?: string;
  /** Whether the name takes the focus: the form was just opened by its button. */
  readonly focused?: boolean;
  readonly label: string;
  readonly choice: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly onChoice: (choice: T) => void;
  /** Buttons on the same line. */
  readonly children?: ReactNode;
}

/** A form with a name and one choice: a person with a role, or a token with its expiry. */
export function NameAndChoiceForm<T extends string>({
  name,
  onName,
  example,
  focused = false,
  label,
  choice,
  choices,
  onChoice,
  children,
}: NameAndChoiceProps<T>): ReactElement {
  const id = useId();
  return (
    <div className="field-pair">
      <div className="grow">
        <label className="label" htmlFor={`${id}-name`}>
          {t('connectionName')}
        </label>
        <input
          id={`${id}-name`}
          className="input"
          value={name}
          maxLength={200}
          autoComplete="off"
          ref={focused ? focusField : undefined}
          {...(example === undefined ? {} : { placeholder: example })}
          onChange={(event) => onName(event.target.value)}
        />
      </div>
      <div>
        <label className="label" htmlFor={`${id}-choice`}>
          {label}
        </label>
        <select
          id={`${id}-choice`}
          className="input select"
          value={choice}
          onChange={(event) => {
            const chosen = choices.find(({ value }) => value === event.target.value);
            if (chosen !== undefined) onChoice(chosen.value);
          }}
        >
          {choices.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      </div>
      {children}
    </div>
  );
}

// Defined outside of the component, so that it runs once and not with every render.
function focusField(field: HTMLInputElement | null): void {
  field?.focus();
}
