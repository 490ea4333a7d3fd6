import type { ButtonHTMLAttributes, ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly small?: boolean;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

/** A button with a text and an optional icon. */
export function Button({ look = 'plain', small, icon, children, className, ...rest }: ButtonProps): ReactElement {
  const classes = ['btn', look === 'plain' ? '' : look, small ? 'small' : '', className ?? '']
    .filter(Boolean)
    .join(' ');
  return (
    <button type="button" className={classes} {...rest}>
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** The action in words, for screen readers and as tooltip. */
  readonly label: string;
}

/** A button with an icon only; the label is its tooltip and its name for screen readers. */
export function IconButton({ icon, label, className, ...rest }: IconButtonProps): ReactElement {
  return (
    <button
      type="button"
      className={className === undefined ? 'ib' : `ib ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
