import type { ReversibleAct } from '@coppice/client';
import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { actionOf } from '../keys/actions.ts';
import { shownChord } from '../keys/chords.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { describeSteps } from '../tree-work/history.ts';
import { IconButton } from '../ui/button.tsx';
import { MenuItem } from '../ui/menu.tsx';

interface Reversible {
  readonly undo: ReversibleAct | null;
  readonly redo: ReversibleAct | null;
}

// The list of changes is asked for when the tree has come to rest.
const restMs = 500;

/** What undo and redo would change; undefined until it is known. */
export function useReversible(): Reversible | undefined {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const ready = useTree((state) => state.phase === 'ready');
  const [known, setKnown] = useState<Reversible | undefined>(undefined);
  useEffect(() => {
    if (!ready || version === 0) return;
    // Unknown until asked: both stay usable, and the server says if there is nothing.
    setKnown(undefined);
    let stale = false;
    const timer = setTimeout(() => {
      session.api.reversible(session.treeId).then(
        (found) => {
          if (!stale) setKnown(found);
        },
        () => undefined,
      );
    }, restMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [session, version, ready]);
  return known;
}

function labelOf(which: 'undo' | 'redo', known: Reversible | undefined): string {
  const act = known?.[which];
  if (act === undefined) return t(which);
  if (act === null) return t(which === 'undo' ? 'nothingToUndo' : 'nothingToRedo');
  return t(which === 'undo' ? 'undoNamed' : 'redoNamed', { what: describeAct(act) });
}

function describeAct({ steps, text }: ReversibleAct): string {
  const what = describeSteps(steps);
  return text === null ? what : `${what}, “${text.replace(/\s+/g, ' ').slice(0, 60)}”`;
}

/** Undo and redo of the chat, each with what it would change; grey if there is nothing. */
export function UndoButtons({ known }: { readonly known: Reversible | undefined }): ReactElement {
  return (
    <>
      {(['undo', 'redo'] as const).map((which) => {
        const { icon, keys, run } = actionOf(which);
        return (
          <IconButton
            key={which}
            className="desk-only"
            icon={icon}
            label={`${labelOf(which, known)} (${shownChord(keys[0] ?? '')})`}
            disabled={known?.[which] === null}
            onClick={() => void run()}
          />
        );
      })}
    </>
  );
}

/** The same in the menu, for phones. */
export function UndoItems({ known }: { readonly known: Reversible | undefined }): ReactElement {
  return (
    <>
      {(['undo', 'redo'] as const).map((which) => {
        const { icon, run } = actionOf(which);
        return (
          <MenuItem key={which} icon={icon} disabled={known?.[which] === null} onSelect={() => void run()}>
            {labelOf(which, known)}
          </MenuItem>
        );
      })}
    </>
  );
}
