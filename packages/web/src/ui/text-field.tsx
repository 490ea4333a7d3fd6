import { type InputHTMLAttributes, type ReactElement, type Ref, useId } from 'react';

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'id' | 'className'> {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Shows the text in a monospaced font: addresses, keys and commands. */
  readonly mono?: boolean;
  readonly field?: Ref<HTMLInputElement> | undefined;
}

/** A line of text with its label above it. Browsers do not complete it unless `autoComplete` names a value. */
export function TextField({ label, onText, mono = false, field, ...input }: TextFieldProps): ReactElement {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        autoComplete="off"
        {...input}
        id={id}
        ref={field}
        className={mono ? 'input mono' : 'input'}
        onChange={(event) => onText(event.target.value)}
      />
    </div>
  );
}
