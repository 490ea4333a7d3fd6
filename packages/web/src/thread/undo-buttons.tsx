import type { ReversibleAct } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { findPageAction } from '../keys/actions.ts';
import { formatChord } from '../keys/chords.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { describeSteps } from '../tree-work/history.ts';
import { IconButton } from '../ui/button.tsx';
import { MenuItem } from '../ui/menu.tsx';

interface Reversible {
  readonly undo: ReversibleAct | null;
  readonly redo: ReversibleAct | null;
}

/** What undo and redo would change. Until the answer arrives, `known` is undefined and both buttons are enabled. */
interface KnownReversible {
  readonly known: Reversible | undefined;
  /** Loads `known` again if the tree has changed since. */
  readonly ask: () => void;
}

/**
 * Loads what undo and redo would change: when a chat is opened, and later only when the user points at a button, so
 * that sending a message costs one request.
 */
export function useUndoRedo(): KnownReversible {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const ready = useTree((state) => state.phase === 'ready');
  const [answer, setAnswer] = useState<{ readonly version: number; readonly found: Reversible } | null>(null);
  const asked = useRef(0);
  const ask = useCallback(() => {
    const { base } = session.state;
    if (base === null || asked.current === base.tree.version) return;
    const at = base.tree.version;
    asked.current = at;
    session.api.reversible(session.treeId).then(
      (found) => setAnswer({ version: at, found }),
      () => {
        asked.current = 0;
      },
    );
  }, [session]);
  useEffect(() => {
    if (ready) ask();
  }, [ready, ask]);
  return { known: answer?.version === version ? answer.found : undefined, ask };
}

function labelOf(which: 'undo' | 'redo', known: Reversible | undefined): string {
  const act = known?.[which];
  if (act === undefined) return t(which);
  if (act === null) return t(which === 'undo' ? 'nothingToUndo' : 'nothingToRedo');
  return t(which === 'undo' ? 'undoNamed' : 'redoNamed', { what: undoLabelOf(act) });
}

function undoLabelOf({ steps, text }: ReversibleAct): string {
  const what = describeSteps(steps);
  return text === null ? what : `${what}, “${text.replace(/\s+/g, ' ').slice(0, 60)}”`;
}

/**
 * The undo and redo buttons of the chat, each with what it would change; disabled if there is nothing. A phone has
 * space for undo only.
 */
export function UndoButtons({ known, ask }: KnownReversible): ReactElement {
  return (
    <>
      {(['undo', 'redo'] as const).map((which) => {
        const { icon, keys, run } = findPageAction(which);
        return (
          <IconButton
            key={which}
            {...(which === 'redo' ? { className: 'desk-only' } : {})}
            icon={icon}
            label={`${labelOf(which, known)} (${formatChord(keys[0] ?? '')})`}
            disabled={known?.[which] === null}
            onPointerEnter={ask}
            onFocus={ask}
            onClick={() => void run()}
          />
        );
      })}
    </>
  );
}

/** Undo and redo as menu items, for phones. */
export function UndoItems({ known }: Pick<KnownReversible, 'known'>): ReactElement {
  return (
    <>
      {(['undo', 'redo'] as const).map((which) => {
        const { icon, run } = findPageAction(which);
        return (
          <MenuItem key={which} icon={icon} disabled={known?.[which] === null} onSelect={() => void run()}>
            {labelOf(which, known)}
          </MenuItem>
        );
      })}
    </>
  );
}
