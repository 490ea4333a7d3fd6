import { type CommandAnswer, refreshUnlessNavigated, type TreeSession, toHttpProblem } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { translateCommandLines, translateCommandReport } from '../i18n/command-texts.ts';
import { t } from '../i18n/index.ts';
import { saveDraft } from '../state/drafts.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';

// The nodes of the last shown list, by session, so that `/switch 2` means its second entry.
const shown = new WeakMap<TreeSession, readonly NodeId[]>();

function shownList(session: TreeSession): readonly NodeId[] {
  return shown.get(session) ?? [];
}

/** Shows the node that a command returned, in this tree or in another one. */
async function followCommand(
  session: TreeSession,
  place: CommandAnswer['place'],
  lead: ReturnType<typeof refreshUnlessNavigated>,
): Promise<void> {
  if (place === undefined) return;
  if (place.treeId !== session.treeId) return navigateTo(treeRoute(place.treeId));
  if (place.activeNodeId === null) return session.showBeginning();
  // New nodes arrive with the feed; a branch that is not loaded is requested.
  return lead(place.activeNodeId, 0);
}

/**
 * Runs a slash command at the view's position. Returns the text for the composer, or null if the command was refused,
 * so that the line can be put back.
 */
export async function runSlashCommandLine(session: TreeSession, line: string): Promise<string | null> {
  const lead = refreshUnlessNavigated(session);
  try {
    const answer = await session.api.command(session.treeId, line, {
      activeNodeId: session.state.part?.leaf ?? null,
      list: shownList(session),
    });
    const { place, said, undo, text = '', selectedText = '', list } = answer;
    if (list !== undefined) shown.set(session, list);
    const elsewhere = place !== undefined && place.treeId !== session.treeId;
    // The text is saved as the draft of the tree where it will be edited.
    if (elsewhere && selectedText !== '') saveDraft(place.treeId, selectedText);
    await followCommand(session, place, lead);
    const words = translateCommandReport(answer);
    // Undo is a command too: the text that it returns is ignored.
    const back =
      undo === undefined ? {} : { action: { label: t('undo'), run: () => void runSlashCommandLine(session, undo) } };
    if (text !== '') openDialog({ name: 'listing', words, lines: translateCommandLines(answer), list: list ?? [] });
    else if (said !== '') showToast({ icon: 'check', text: words.said, english: words.english, ...back });
    return elsewhere ? '' : selectedText;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return null;
  }
}
