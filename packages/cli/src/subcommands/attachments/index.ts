import { type AttachmentAdmin, openAttachments } from '@coppice/stores/attachments';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandInput, type SubcommandOutput } from '../contract.ts';

const actions = ['list', 'move'] as const;
type Action = (typeof actions)[number];

export const attachments = defineSubcommand({
  name: 'attachments',
  summary: 'show where a PostgreSQL store keeps attachments, and move them',
  worksOn: 'own-store',
  insteadOnServer: () => 'It manages the database of the server: name the store with --store postgres://….',
  group: 'Manage',
  arguments: [
    { name: 'action', summary: `${actions.join(' or ')} (default: list)`, optional: true, completes: actions },
  ],
  options: [
    {
      name: 'to',
      value: 'place',
      summary: 'for move: database, or s3://bucket/folder (default: where new attachments of the store go)',
    },
  ],
  examples: [
    'coppice attachments --store postgres://me@db1/coppice',
    "coppice attachments move --store 'postgres://me@db1/coppice?attachments=s3://bucket/folder'",
    'coppice attachments move --to database --store postgres://me@db1/coppice',
  ],
  async run(given, at) {
    const action = given.optional('action') ?? 'list';
    if (!isAction(action)) throw makeUsageError(`Unknown action ${action}. Use ${actions.join(' or ')}.`);
    const opened = await openAttachments(await at.storeUrl());
    at.onClose(() => opened.close());
    return runs[action](opened, given, at);
  },
});

function isAction(word: string): word is Action {
  return (actions as readonly string[]).includes(word);
}

type RunAction = (opened: AttachmentAdmin, given: SubcommandInput, at: CliContext) => Promise<SubcommandOutput>;

const runs: Readonly<Record<Action, RunAction>> = {
  async list(opened) {
    const items = await opened.places();
    const lines = items.map(
      ({ place, attachments: count, bytes }) => `${place}  ${formatCountedNoun(count, 'attachment')}  ${bytes} bytes`,
    );
    return {
      data: { items, newPlace: opened.newPlace },
      lines: [...lines, `New attachments are stored in ${nameOf(opened.newPlace)}.`],
    };
  },
  async move(opened, given, at) {
    const to = given.optional('to') ?? opened.newPlace;
    if (given.optional('to') === undefined && to === 'database')
      throw makeUsageError('Name the place with --to database or --to s3://bucket/folder.');
    const progress = createProgressBar(at.output, 'steps');
    try {
      const report = await opened.move(to, ({ done, total }) => progress.tell(done, total - done));
      progress.end();
      const { moved, bytes, damaged, left } = report;
      const lines = [
        `Moved ${formatCountedNoun(moved, 'attachment')} (${bytes} bytes) to ${nameOf(report.to)}.`,
        ...damaged,
        ...(left > damaged.length
          ? [
              `${left - damaged.length} are still elsewhere, because they were written or moved meanwhile: repeat the command.`,
            ]
          : []),
        ...(opened.newPlace === report.to
          ? []
          : [
              `New attachments are still stored in ${nameOf(opened.newPlace)}: change attachments=… in the URL of the store.`,
            ]),
      ];
      return { data: report, lines, ...(left > 0 ? { exitCode: 1 } : {}) };
    } finally {
      progress.end();
    }
  },
};

function nameOf(place: string): string {
  return place === 'database' ? 'the database' : place;
}
