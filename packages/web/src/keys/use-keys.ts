import { useEffect } from 'react';
import { useUi } from '../state/ui.ts';
import { actions } from './actions.ts';

const mac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key press as it is written in the list, such as `shift+mod+z`. */
export function chordOf(
  event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'code'>,
): string {
  const mod = mac ? event.metaKey : event.ctrlKey;
  // With Option a Mac gives another letter; the code still says which key it was.
  const key =
    event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code.slice(3).toLowerCase() : event.key.toLowerCase();
  return [event.shiftKey ? 'shift' : '', mod ? 'mod' : '', event.altKey ? 'alt' : '', key].filter(Boolean).join('+');
}

/** How a chord is shown. */
export function shownChord(chord: string): string {
  return chord
    .split(' ')
    .map((part) =>
      part
        .replace('shift+', '⇧')
        .replace('mod+', mac ? '⌘' : 'Ctrl ')
        .replace('alt+', mac ? '⌥' : 'Alt ')
        .replace('arrowup', '↑')
        .replace('arrowdown', '↓')
        .replace('arrowleft', '←')
        .replace('arrowright', '→')
        .replace('backspace', '⌫')
        .replace('escape', 'Esc')
        .toUpperCase(),
    )
    .join(' ');
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

// A press on one of these belongs to it: buttons, links and menus have their own meaning for some keys.
function isControl(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role="menu"], [role="listbox"], [role="tree"], .map-canvas, dialog') !== null) return true;
  return (key === ' ' || key === 'Enter') && target.closest('button, a, input') !== null;
}

/** Listens for the keys of the page. */
export function useKeys(): void {
  useEffect(() => {
    let before = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const chord = chordOf(event);
      const typing = isTyping(event.target);
      if (useUi.getState().opened !== null && chord !== 'mod+k') return;
      if (!typing && isControl(event.target, event.key)) return;
      const pair = `${before} ${chord}`;
      const action =
        actions.find((each) => each.keys.includes(pair) && !typing) ??
        actions.find((each) => each.keys.includes(chord) && (!typing || each.typing === true));
      before = '';
      clearTimeout(timer);
      if (action === undefined) {
        if (typing || chord !== 'g') return;
        before = 'g';
        timer = setTimeout(() => {
          before = '';
        }, 900);
        return;
      }
      if (action.run() !== false) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', pressed);
    };
  }, []);
}
