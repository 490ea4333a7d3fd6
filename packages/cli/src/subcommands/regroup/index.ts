import { newId } from '@coppice/engine/new-id';
import { readChatNames } from '../../first-words.ts';
import { createIdShortener } from '../../short-ids.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const regroup = defineSubcommand({
  name: 'regroup',
  summary: 'group older recordings by session instead of by system prompt',
  worksOn: 'own-store',
  insteadOnServer: () =>
    'It rewrites many chats at once. Run it on the computer of the server, or name the store with --store.',
  group: 'Manage',
  arguments: [{ name: 'project', summary: 'project of the recordings' }],
  options: [
    { name: 'preview', summary: 'show the sessions and change nothing' },
    { name: 'undo', summary: 'go back to the grouping by system prompt' },
  ],
  examples: ['coppice regroup proxy --preview', 'coppice regroup proxy', 'coppice regroup proxy --undo'],
  async run(given, at) {
    const { regroupRecordingsBySession, undoRegroup } = await import('@coppice/server');
    const store = await at.store();
    const project = given.text('project');
    const [preview, undo] = [given.flag('preview'), given.flag('undo')];
    const progress = createProgressBar(at.output, 'sessions');
    const options = {
      project,
      preview,
      actor: store.owner,
      now: Date.now,
      newId: () => newId(),
      signal: at.host.signal,
      onProgress: ({ done, left }: { readonly done: number; readonly left: number }) => progress.tell(done, left),
    };
    const report = await (undo ? undoRegroup(store, options) : regroupRecordingsBySession(store, options)).finally(
      progress.end,
    );
    const { sessions, trees } = report;
    const short = createIdShortener(sessions.map(({ treeId }) => treeId));
    const listed = undo ? [] : sessions;
    const nameOf = await readChatNames(store, at.options.json ? [] : listed);
    const lines = listed.map(
      ({ treeId, messages }) =>
        `${short(treeId)}  ${toOneLine(at.output.foreign(nameOf(treeId)), 60)}  ${at.output.style.quiet(formatCountedNoun(messages, 'message'))}`,
    );
    const counts = `${formatCountedNoun(trees, 'chat')} by prompt`;
    const sessionCount = formatCountedNoun(sessions.length, 'session');
    if (trees === 0 && sessions.length === 0)
      lines.push(
        at.output.style.quiet(
          undo
            ? 'Nothing was regrouped.'
            : `The project ${project} has no recordings that are grouped by system prompt.`,
        ),
      );
    else if (preview) lines.push(undo ? `Would restore ${counts}.` : `Would turn ${counts} into ${sessionCount}.`);
    else if (undo) lines.push(`Restored ${counts}; ${sessionCount} moved to the trash.`);
    else lines.push(`Turned ${counts} into ${sessionCount}. Undo with: coppice regroup ${project} --undo`);
    const config = await at.config();
    const fixed = config.proxy.projects?.get(project) ?? config.proxy.grouping;
    if (!preview && !undo && fixed === 'prompt')
      at.output.note(`New calls are still grouped by prompt: set [proxy.projects] ${project} = "session".\n`);
    return { data: { ...report, preview, undo }, lines };
  },
});
