import {
  addCallTotals,
  type CallTotals,
  type RecordedSession,
  RecordedSessionReader,
  sumSessionTotals,
  zeroCallTotals,
} from '@coppice/engine';
import type { CliContext } from '../../cli-context.ts';
import { describeFailedCall, openFailedCalls } from '../../failed-calls.ts';
import { readChatNames } from '../../first-words.ts';
import { formatLocalTime } from '../../printing.ts';
import type { listRemoteFailedCalls, listRemoteSessions, RemoteSessionQuery } from '../../remote/remote-work.ts';
import { createIdShortener } from '../../short-ids.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { truncateWithEllipsis, widthOf } from '../../terminal/width.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const agents = defineSubcommand({
  name: 'agents',
  summary: 'list recorded sessions of agents, with calls, tokens and cost',
  group: 'Read',
  options: [
    { name: 'project', value: 'name', summary: 'only sessions of this project' },
    { name: 'program', value: 'name', summary: 'only sessions of this program, such as "Claude Code"' },
    { name: 'limit', short: 'n', value: 'count', summary: 'number of sessions (default 20)' },
    { name: 'cursor', value: 'text', summary: 'continue an earlier list' },
    {
      name: 'by',
      value: 'project|program',
      summary: 'grouping of the list (default: project)',
      completes: ['project', 'program'],
    },
    { name: 'seen', summary: 'acknowledge the calls that could not be recorded' },
  ],
  examples: ['coppice agents', 'coppice agents --program Codex --limit 5', 'coppice agents --by program --json'],
  async run(given, at) {
    const [project, program, cursor] = ['project', 'program', 'cursor'].map(given.optional);
    const recorder = await openRecorder(at);
    const { sessions, cursor: next } = await recorder.list({
      limit: given.count('limit', 1) ?? 20,
      since: startOfDay(Date.now()),
      ...(project === undefined ? {} : { project }),
      ...(program === undefined ? {} : { program }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const failed = await recorder.failedCalls();
    const acknowledged = given.flag('seen') ? await recorder.acknowledge() : 0;
    const today = sessions.reduce(
      (sum, session) => addCallTotals(sum, sumSessionTotals(session, 'recent')),
      zeroCallTotals,
    );
    const { style } = at.output;
    const all = sessions.flatMap(withSubAgents);
    const short = createIdShortener(all.map(({ treeId }) => treeId));
    const nameOf = await readChatNames(await at.store(), at.options.json ? [] : all);
    const lines: string[] = [];
    if (sessions.length > 0) lines.push(style.quiet(`Today: ${figuresText(today)}`), '');
    const by = given.optional('by') === 'program' ? 'program' : 'project';
    for (const [name, group] of groupSessions(sessions, by)) {
      lines.push(style.strong(toOneLine(name, 60)));
      for (const session of group) lines.push(...sessionLines(session, 0));
    }
    if (sessions.length === 0)
      lines.push(style.quiet('No recorded sessions. Record one with: coppice proxy -- claude'));
    for (const call of failed) lines.push(style.bad(at.output.foreign(`Not recorded: ${describeFailedCall(call)}`)));
    if (failed.length > 0 && !given.flag('seen')) lines.push(style.quiet('Seen these? coppice agents --seen'));
    if (next !== null) lines.push(style.quiet(`There are more. Add --cursor ${next}`));
    return {
      data: { sessions, today, failed, acknowledged, cursor: next },
      lines,
    };

    function sessionLines(session: RecordedSession, depth: number): string[] {
      const { treeId, kind, figures, lastAt, children } = session;
      const indent = '  '.repeat(depth + 1);
      const about = kind === 'session' ? (session.program ?? '') : kind === 'sub-agent' ? 'sub-agent' : 'side calls';
      const right = `${figuresText(kind === 'session' ? sumSessionTotals(session) : figures)}  ${formatLocalTime(lastAt)}`;
      const head = `${indent}${short(treeId)}  ${about === '' ? '' : `${about}: `}`;
      const space = Math.max(16, at.output.columns - widthOf(head) - widthOf(right) - 2);
      const title = truncateWithEllipsis(toOneLine(at.output.foreign(nameOf(treeId)), space), space);
      const line = `${head}${title}${' '.repeat(Math.max(0, space - widthOf(title)))}  ${style.quiet(right)}`;
      return [line, ...children.flatMap((child) => sessionLines(child, depth + 1))];
    }
  },
});

interface Recorder {
  list(query: RemoteSessionQuery): ReturnType<typeof listRemoteSessions>;
  failedCalls(): ReturnType<typeof listRemoteFailedCalls>;
  acknowledge(): Promise<number>;
}

/** Opens the recorded work: of the server that the option names, otherwise of the store. */
async function openRecorder(at: CliContext): Promise<Recorder> {
  const client = await at.server();
  if (client !== null) {
    const remote = await import('../../remote/remote-work.ts');
    return {
      list: (query) => remote.listRemoteSessions(client, query),
      failedCalls: () => remote.listRemoteFailedCalls(client),
      acknowledge: () => remote.acknowledgeRemoteFailedCalls(client),
    };
  }
  const [store, failed] = [await at.store(), await openFailedCalls(at)];
  return {
    list: (query) => new RecordedSessionReader(store).list(query),
    failedCalls: async () => (await failed.list(store.owner)).map(({ owner: _, ...call }) => call),
    acknowledge: () => failed.acknowledge(store.owner),
  };
}

function withSubAgents(session: RecordedSession): RecordedSession[] {
  return [session, ...session.children.flatMap(withSubAgents)];
}

function groupSessions(
  sessions: readonly RecordedSession[],
  by: 'project' | 'program',
): ReadonlyMap<string, readonly RecordedSession[]> {
  const groups = new Map<string, RecordedSession[]>();
  for (const session of sessions) {
    const name = session[by] ?? (by === 'project' ? 'No project' : (session.project ?? 'Other programs'));
    groups.set(name, [...(groups.get(name) ?? []), session]);
  }
  return groups;
}

/** Returns the midnight before a time, in the local time zone. */
function startOfDay(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

function figuresText({ calls, toolCalls, tokens, cost, errors }: CallTotals): string {
  const parts = [
    formatCountedNoun(calls, 'call'),
    formatCountedNoun(toolCalls, 'tool call'),
    `${countText(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`,
  ];
  if (cost !== null) parts.push(`$${cost.toFixed(2)}`);
  if (errors > 0) parts.push(formatCountedNoun(errors, 'error'));
  return parts.join(', ');
}

function countText(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)} M`;
  return count >= 10_000 ? `${Math.round(count / 1_000)} k` : String(count);
}
