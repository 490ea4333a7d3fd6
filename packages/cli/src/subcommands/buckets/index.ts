import { type BucketAdmin, type BucketMoveReport, type OwnerMoveReport, openBuckets } from '@coppice/stores/buckets';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandInput, type SubcommandOutput } from '../contract.ts';

const actions = ['list', 'add', 'move', 'move-bucket', 'set-url', 'distribute', 'drain', 'open', 'check'] as const;
type Action = (typeof actions)[number];

export const buckets = defineSubcommand({
  name: 'buckets',
  summary: 'divide a PostgreSQL store over several schemas or servers',
  worksOn: 'own-store',
  insteadOnServer: () => 'It manages the databases of the server: name the store with --store postgres://….',
  group: 'Manage',
  arguments: [
    { name: 'action', summary: `${actions.join(', ')} (default: list)`, optional: true, completes: actions },
    { name: 'name', summary: 'the bucket; for move: the user', optional: true },
    { name: 'to', summary: 'for move: the bucket to move to', optional: true },
  ],
  options: [
    {
      name: 'url',
      value: 'address',
      summary:
        'for add: the database of the new bucket (default: that of the store); for move-bucket: the new database; for set-url: the same database with another password, user or host',
    },
    { name: 'schema', value: 'name', summary: 'for add: its schema (default: coppice_ and the name)' },
    {
      name: 'source-url',
      value: 'address',
      summary: 'for move-bucket: how the new database server connects to the old one (default: as this command does)',
    },
  ],
  examples: [
    'coppice buckets --store postgres://me@db1/coppice',
    'coppice buckets add second --url postgres://me@db2/coppice --store postgres://me@db1/coppice',
    'coppice buckets move ann second --store postgres://me@db1/coppice',
    'coppice buckets set-url second --url postgres://me:new@db2/coppice --store postgres://me@db1/coppice',
    'coppice buckets move-bucket second --url postgres://me@db3/coppice --store postgres://me@db1/coppice',
  ],
  async run(given, at) {
    const action = given.optional('action') ?? 'list';
    if (!isAction(action)) throw makeUsageError(`Unknown action ${action}. Use one of ${actions.join(', ')}.`);
    const opened = await openBuckets(await at.storeUrl());
    at.onClose(() => opened.close());
    return runs[action](opened, given, at);
  },
});

function isAction(word: string): word is Action {
  return (actions as readonly string[]).includes(word);
}

type RunAction = (opened: BucketAdmin, given: SubcommandInput, at: CliContext) => Promise<SubcommandOutput>;

function requireArgument(given: SubcommandInput, name: 'name' | 'to', what: string): string {
  const word = given.optional(name);
  if (word === undefined) throw makeUsageError(`Name ${what}.`);
  return word;
}

const runs: Readonly<Record<Action, RunAction>> = {
  async list(opened) {
    const items = await opened.list();
    const lines = items.map(
      ({ name, place, schema, state, owners }) =>
        `${name}  ${formatCountedNoun(owners, 'user')}  ${place}${schema === null ? '' : ` schema ${schema}`}${state === 'open' ? '' : '  no new users'}`,
    );
    return { data: { items }, lines: lines.length > 0 ? lines : ['The store is not divided into buckets.'] };
  },
  async add(opened, given) {
    const name = requireArgument(given, 'name', 'the new bucket');
    const isFirst = (await opened.list()).length === 0;
    const [url, schema] = [given.optional('url'), given.optional('schema')];
    await opened.add(name, { ...(url === undefined ? {} : { url }), ...(schema === undefined ? {} : { schema }) });
    return {
      data: { added: name },
      lines: [
        `Added the bucket ${name}. New users are divided among the open buckets; the others stay where they are.`,
        ...(isFirst ? ['Restart every server of this store: until then their writes are refused.'] : []),
      ],
    };
  },
  async move(opened, given, at) {
    const [owner, to] = [
      requireArgument(given, 'name', 'the user to move'),
      requireArgument(given, 'to', 'the bucket to move to'),
    ];
    const report = await withProgress(at, (onProgress) => opened.moveOwner(owner, to, { onProgress }));
    return { data: report, lines: [moveLine(report)] };
  },
  async 'move-bucket'(opened, given, at) {
    const name = requireArgument(given, 'name', 'the bucket to move');
    const [url, sourceUrl] = [given.optional('url'), given.optional('source-url')];
    if (url === undefined) throw makeUsageError('Name the new database with --url postgres://….');
    const progress = createProgressBar(at.output, 'tables');
    try {
      const report = await opened.moveBucket(name, url, {
        ...(sourceUrl === undefined ? {} : { sourceUrl }),
        onProgress: ({ copiedTables, tables }) => progress.tell(copiedTables, tables - copiedTables),
      });
      return { data: report, lines: bucketMoveLines(report) };
    } finally {
      progress.end();
    }
  },
  async 'set-url'(opened, given) {
    const name = requireArgument(given, 'name', 'the bucket');
    const url = given.optional('url');
    if (url === undefined) throw makeUsageError('Name the new address with --url postgres://….');
    await opened.setUrl(name, url);
    return {
      data: { changed: name },
      lines: [`Changed the address of ${name}. Servers use it within some seconds, without a restart.`],
    };
  },
  async distribute(opened, given) {
    const name = requireArgument(given, 'name', 'the bucket to distribute');
    await opened.distribute(name);
    return {
      data: { distributed: name },
      lines: [
        `Citus keeps the tables of ${name} now, on one of its workers. Restart every server of this store: until then writes of its users are refused.`,
      ],
    };
  },
  async drain(opened, given, at) {
    const name = requireArgument(given, 'name', 'the bucket to empty');
    const reports = await withProgress(at, (onProgress) => opened.drain(name, { onProgress }));
    return {
      data: { drained: name, moves: reports },
      lines: [
        ...reports.map(moveLine),
        `Moved ${formatCountedNoun(reports.length, 'user')}. ${name} gets no new users.`,
      ],
    };
  },
  async open(opened, given) {
    const name = requireArgument(given, 'name', 'the bucket to open');
    await opened.open(name);
    return { data: { opened: name }, lines: [`${name} gets new users again.`] };
  },
  async check(opened) {
    const findings = await opened.check();
    return {
      data: { findings },
      lines: findings.length > 0 ? findings : ['Every user is in one bucket.'],
      ...(findings.length > 0 ? { exitCode: 1 } : {}),
    };
  },
};

function moveLine({ owner, from, to, trees, lockedMs }: OwnerMoveReport): string {
  if (from === to) return `${owner} is in ${to} already.`;
  if (from === null) return `${owner} has no chats yet. New ones will be stored in ${to}.`;
  return `Moved ${owner} with ${formatCountedNoun(trees, 'chat')} from ${from} to ${to}; writes waited ${Math.round(lockedMs)} ms.`;
}

function bucketMoveLines({ bucket, from, to, lockedMs, isCleared }: BucketMoveReport): string[] {
  if (from === to) return [`${bucket} is in ${to} already.`];
  return [
    `Moved ${bucket} from ${from} to ${to}; its users waited ${Math.round(lockedMs)} ms.`,
    ...(isCleared ? [] : [`A long transaction reads the old tables in ${from}: delete them when it has ended.`]),
  ];
}

async function withProgress<T>(
  at: CliContext,
  work: (report: (progress: { readonly copied: number; readonly trees: number }) => void) => Promise<T>,
): Promise<T> {
  const progress = createProgressBar(at.output, 'chats');
  try {
    return await work(({ copied, trees }) => progress.tell(copied, trees - copied));
  } finally {
    progress.end();
  }
}
