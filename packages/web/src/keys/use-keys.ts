import { useLayoutEffect } from 'react';
import { bufferKeyPress } from '../state/new-tree.ts';
import { useRoute } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { isCurrentMessageAction, pageActions } from './actions.ts';
import { chordOf } from './chords.ts';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

// Whether the focused element handles the key itself: buttons, links and menus use some keys.
function isControl(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('[role="menu"], [role="listbox"], dialog') !== null) return true;
  return (key === ' ' || key === 'Enter') && target.closest('button, a, input') !== null;
}

/** Whether the focus is in the outline or the map, which have their own keys for messages. */
function hasOwnMessageKeys(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[role="tree"], .map-canvas') !== null;
}

/** Whether a chord works on every screen: navigation, and chords that are not a single letter. */
function worksOnEveryScreen(chord: string): boolean {
  return chord.includes(' ') || chord.includes('mod+') || ['?', '\\', 'escape'].includes(chord);
}

/** Runs the action of each key chord, unless the focused element uses the key itself. */
export function usePageKeys(): void {
  // Before the first paint: a key that is pressed as soon as the page can be seen has an effect.
  useLayoutEffect(() => {
    let before = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const chord = chordOf(event);
      const typing = isTyping(event.target);
      const plain = !event.metaKey && !event.ctrlKey && !event.altKey;
      if (!typing && plain && bufferKeyPress(event.key)) return event.preventDefault();
      if (useUi.getState().opened !== null && chord !== 'mod+k') return;
      if (!typing && isControl(event.target, event.key)) return;
      const pair = `${before} ${chord}`;
      const roams = (keys: string) => !hasOwnMessageKeys(event.target) || worksOnEveryScreen(keys);
      const action =
        pageActions.find((each) => each.keys.includes(pair) && !typing) ??
        pageActions.find((each) => each.keys.includes(chord) && (!typing || each.typing === true) && roams(chord));
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
      const { place } = useRoute.getState();
      if (place.name === 'tree' && place.screen !== 'thread' && isCurrentMessageAction(action)) return;
      if (action.run() !== false) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', pressed);
    };
  }, []);
}
