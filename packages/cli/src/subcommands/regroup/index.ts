import { newId } from '@coppice/engine';
import { countNoun } from '../../changing.ts';
import { shortIdsOf } from '../../short-ids.ts';
import { createProgress } from '../../terminal/progress.ts';
import { oneLine } from '../../terminal/strip-control-sequences.ts';
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
    const { regroupProject, undoRegroup } = await import('@coppice/server');
    const store = await at.store();
    const project = given.text('project');
    const [preview, undo] = [given.flag('preview'), given.flag('undo')];
    const progress = createProgress(at.output, 'sessions');
    const options = {
      project,
      preview,
      actor: store.owner,
      now: Date.now,
      newId: () => newId(),
      signal: at.host.signal,
      onProgress: ({ done, left }: { readonly done: number; readonly left: number }) => progress.tell(done, left),
    };
    const report = await (undo ? undoRegroup(store, options) : regroupProject(store, options)).finally(progress.end);
    const { sessions, trees } = report;
    const short = shortIdsOf(sessions.map(({ treeId }) => treeId));
    const lines = (undo ? [] : sessions).map(
      ({ treeId, title, messages }) =>
        `${short(treeId)}  ${oneLine(at.output.foreign(title ?? 'Untitled'), 60)}  ${at.output.style.quiet(countNoun(messages, 'message'))}`,
    );
    const counts = `${countNoun(trees, 'chat')} by prompt`;
    const made = countNoun(sessions.length, 'session');
    if (trees === 0 && sessions.length === 0)
      lines.push(at.output.style.quiet(undo ? 'Nothing was regrouped.' : 'There are no recordings by prompt.'));
    else if (preview) lines.push(undo ? `Would bring ${counts} back.` : `Would turn ${counts} into ${made}.`);
    else if (undo) lines.push(`Brought ${counts} back; ${made} moved to the trash.`);
    else lines.push(`Turned ${counts} into ${made}. Undo with: coppice regroup ${project} --undo`);
    const config = await at.config();
    const fixed = config.proxy.projects?.get(project) ?? config.proxy.grouping;
    if (!preview && !undo && fixed === 'prompt')
      at.output.note(`New calls are still grouped by prompt: set [proxy.projects] ${project} = "session".\n`);
    return { data: { ...report, preview, undo }, lines };
  },
});
