import { t } from '../i18n/index.ts';
import { shownChord } from '../keys/chords.ts';
import { complain, undo } from '../state/acts.ts';
import { api } from '../state/client.ts';
import { asProblem } from '../state/http.ts';
import { go, treePlace } from '../state/router.ts';
import type { TreeSession } from '../state/session.ts';
import { say } from '../state/toasts.ts';

/**
 * Runs a slash command where the view is. Gives the text that belongs in the composer afterwards, or null where the
 * command was refused, so that the line can be put back.
 */
export async function runLine(session: TreeSession, line: string): Promise<string | null> {
  try {
    const answer = await api.command(session.treeId, line, session.state.part?.leaf ?? null);
    const { place, said, undo: act } = answer;
    if (place !== undefined && place.treeId !== session.treeId) go(treePlace(place.treeId));
    else await session.refresh(place?.activeNodeId ?? undefined);
    const words = said === '' ? (answer.text ?? '') : said;
    const back =
      act === undefined
        ? {}
        : { action: { label: t('undo'), keys: shownChord('mod+z'), run: () => void undo(session, act) } };
    if (words !== '') say({ icon: 'check', text: words.slice(0, 300), ...back });
    return answer.selectedText ?? '';
  } catch (thrown) {
    complain(asProblem(thrown));
    return null;
  }
}
