import { toHttpProblem } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import type { TranslatedText } from '../i18n/translated-text.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TranslatedTextView } from '../ui/translated-text.tsx';

interface CommandListProps {
  readonly words: TranslatedText;
  /** The lines of the command's output; a line that begins with a number belongs to that node of `list`. */
  readonly lines: readonly string[];
  readonly list: readonly NodeId[];
  readonly onClose: () => void;
}

/** The list of a command: branches, an outline, the context. A line with a message opens it. */
export function CommandListDialog({ words, lines, list, onClose }: CommandListProps): ReactElement {
  const session = useSession();
  const goTo = (id: NodeId) => {
    onClose();
    session
      .go(id)
      .then(() => session.scrollTo(id))
      .catch((thrown) => showError(toHttpProblem(thrown)));
  };
  const rows = lines.map((line, at) => {
    const number = /^\s*(\d+)\. /.exec(line)?.[1];
    return { key: `${at} ${line}`, line, id: number === undefined ? undefined : list[+number - 1] };
  });
  return (
    <Dialog title={t('commandShows')} onClose={onClose} className="listing-dialog">
      <p className="hint">
        <TranslatedTextView {...words} />
      </p>
      <div className="listing">
        {rows.map(({ key, line, id }) =>
          id === undefined ? (
            <div key={key} dir="auto">
              {line}
            </div>
          ) : (
            <button key={key} type="button" onClick={() => goTo(id)}>
              {line}
            </button>
          ),
        )}
      </div>
    </Dialog>
  );
}
