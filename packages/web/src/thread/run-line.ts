import type { NodeId } from '@coppice/core';
import { commandWords } from '../i18n/command-texts.ts';
import { t } from '../i18n/index.ts';
import type { CommandAnswer } from '../state/api-types.ts';
import { saveDraft } from '../state/drafts.ts';
import { refreshUnlessNavigated } from '../state/following.ts';
import { asProblem } from '../state/http.ts';
import { navigateTo, treePlace } from '../state/router.ts';
import type { TreeSession } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';

// The nodes of the list that was shown last, so that `/switch 2` means the second of them.
const shown = new WeakMap<TreeSession, readonly NodeId[]>();

/** The nodes of the list that a command showed last. */
function shownList(session: TreeSession): readonly NodeId[] {
  return shown.get(session) ?? [];
}

/** Goes where a command leads. */
async function followCommand(
  session: TreeSession,
  place: CommandAnswer['place'],
  lead: ReturnType<typeof refreshUnlessNavigated>,
): Promise<void> {
  if (place === undefined) return;
  if (place.treeId !== session.treeId) return navigateTo(treePlace(place.treeId));
  if (place.activeNodeId === null) return session.toBeginning();
  // What the command wrote comes with the feed; a branch that is not loaded yet is read.
  return lead(place.activeNodeId, 0);
}

/**
 * Runs a slash command where the view is. Gives the text that belongs in the composer afterwards, or null where the
 * command was refused, so that the line can be put back.
 */
export async function runCommandLine(session: TreeSession, line: string): Promise<string | null> {
  const lead = refreshUnlessNavigated(session);
  try {
    const answer = await session.api.command(session.treeId, line, {
      activeNodeId: session.state.part?.leaf ?? null,
      list: shownList(session),
    });
    const { place, said, undo, text = '', selectedText = '', list } = answer;
    if (list !== undefined) shown.set(session, list);
    const elsewhere = place !== undefined && place.treeId !== session.treeId;
    // The text goes along to where it is to be changed.
    if (elsewhere && selectedText !== '') saveDraft(place.treeId, selectedText);
    await followCommand(session, place, lead);
    const words = commandWords(said);
    // The way back is a line itself: what it brings back to the composer is not wanted a second time.
    const back =
      undo === undefined ? {} : { action: { label: t('undo'), run: () => void runCommandLine(session, undo) } };
    if (text !== '') openDialog({ name: 'listing', words, text, list: list ?? [] });
    else if (said !== '') showToast({ icon: 'check', text: words.said, english: words.english, ...back });
    return elsewhere ? '' : selectedText;
  } catch (thrown) {
    showError(asProblem(thrown));
    return null;
  }
}
