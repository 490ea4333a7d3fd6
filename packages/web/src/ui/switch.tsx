import type { ReactElement } from 'react';

interface SwitchProps {
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly disabled?: boolean;
  /** The id by which a label names the switch. */
  readonly id?: string;
  /** The name of a switch without a label. */
  readonly label?: string;
}

/** A setting that is on or off, and has an effect at once. Space and Enter change it. */
export function Switch({ on, onChange, disabled = false, id, label }: SwitchProps): ReactElement {
  return (
    <input
      type="checkbox"
      role="switch"
      aria-checked={on}
      className="switch"
      checked={on}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
      onKeyDown={(event) => {
        // Browsers change a checkbox only by Space.
        if (event.key !== 'Enter') return;
        event.preventDefault();
        event.currentTarget.click();
      }}
      {...(id === undefined ? {} : { id })}
      {...(label === undefined ? {} : { 'aria-label': label })}
    />
  );
}
