import { DropdownMenu } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { isRightToLeft } from '../i18n/index.ts';
import { Icon, type IconName } from './icon.tsx';

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly onOpenChange?: (open: boolean) => void;
}

/** A menu of a button. Not modal: a modal one would add a style element, which the page's policy forbids. */
export function Menu({ trigger, children, align = 'end', onOpenChange }: MenuProps): ReactElement {
  return (
    <DropdownMenu.Root
      modal={false}
      dir={isRightToLeft() ? 'rtl' : 'ltr'}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu pop" align={align} sideOffset={5} collisionPadding={8} loop>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  readonly icon?: IconName;
  readonly onSelect: () => void;
  readonly children: ReactNode;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly checked?: boolean;
}

/** A menu item with an optional icon, key and check mark. */
export function MenuItem({ icon, onSelect, children, keys, danger, disabled, checked }: MenuItemProps): ReactElement {
  return (
    <DropdownMenu.Item
      className={danger === true ? 'opt danger' : 'opt'}
      onSelect={onSelect}
      {...(disabled === undefined ? {} : { disabled })}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      <span className="grow">{children}</span>
      {checked === true ? <Icon name="check" /> : null}
      {keys === undefined ? null : <kbd>{keys}</kbd>}
    </DropdownMenu.Item>
  );
}

export function MenuSeparator(): ReactElement {
  return <DropdownMenu.Separator className="menu-line" />;
}
