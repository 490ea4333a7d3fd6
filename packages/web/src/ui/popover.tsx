import { Popover as RadixPopover, Slot } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { Dialog } from './dialog.tsx';
import { usePhone } from './use-phone.ts';

interface PopoverProps {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A box with controls above the composer; on a phone a sheet at the bottom of the screen. */
export function Popover(props: PopoverProps): ReactElement {
  return usePhone() ? <Sheet {...props} /> : <Box {...props} />;
}

/** Not modal: a modal popover would add a style element, which the page's policy forbids. */
function Box({ trigger, label, open, onOpenChange, children, className }: PopoverProps): ReactElement {
  return (
    <RadixPopover.Root open={open} onOpenChange={onOpenChange}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          className={`menu popover ${className ?? ''}`}
          aria-label={label}
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={8}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}

/** Modal: a tap beside the sheet closes the sheet, and presses nothing below. */
function Sheet({ trigger, label, open, onOpenChange, children, className }: PopoverProps): ReactElement {
  const sheet = (
    <Dialog title={label} onClose={() => onOpenChange(false)} className={`sheet control-sheet ${className ?? ''}`} bare>
      {children}
    </Dialog>
  );
  return (
    <>
      <Slot.Root aria-haspopup="dialog" aria-expanded={open} onClick={() => onOpenChange(true)}>
        {trigger}
      </Slot.Root>
      {open ? createPortal(sheet, document.body) : null}
    </>
  );
}
