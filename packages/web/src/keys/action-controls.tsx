/** Buttons and menu items for actions: label, icon, key and function come from the list of actions. */
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { MenuItem } from '../ui/menu.tsx';
import { findPageAction } from './actions.ts';
import { formatChord } from './chords.ts';

/** An action as a menu item. */
export function ActionItem({
  id,
  checked,
  disabled,
}: {
  readonly id: string;
  readonly checked?: boolean;
  readonly disabled?: boolean;
}): ReactElement {
  const { icon, label, keys, run, danger } = findPageAction(id);
  const [chord] = keys;
  return (
    <MenuItem
      icon={icon}
      onSelect={() => void run()}
      {...(chord === undefined ? {} : { keys: formatChord(chord) })}
      {...(danger === undefined ? {} : { danger })}
      {...(checked === undefined ? {} : { checked })}
      {...(disabled === undefined ? {} : { disabled })}
    >
      {t(label)}
    </MenuItem>
  );
}

/** An action as an icon button; its label includes the key. */
export function ActionIcon({
  id,
  className,
  disabled = false,
}: {
  readonly id: string;
  readonly className?: string;
  readonly disabled?: boolean;
}): ReactElement {
  const { icon, label, keys, run } = findPageAction(id);
  const [chord] = keys;
  return (
    <IconButton
      icon={icon}
      label={chord === undefined ? t(label) : `${t(label)} (${formatChord(chord)})`}
      disabled={disabled}
      onClick={() => void run()}
      {...(className === undefined ? {} : { className })}
    />
  );
}

/** An action as a text button. */
export function ActionButton({
  id,
  small = false,
  look,
  className,
}: {
  readonly id: string;
  readonly small?: boolean;
  readonly look?: 'primary' | 'quiet';
  readonly className?: string;
}): ReactElement {
  const { icon, label, run } = findPageAction(id);
  return (
    <Button
      icon={icon}
      small={small}
      onClick={() => void run()}
      {...(look === undefined ? {} : { look })}
      {...(className === undefined ? {} : { className })}
    >
      {t(label)}
    </Button>
  );
}
