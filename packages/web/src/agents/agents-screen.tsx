import { toHttpProblem } from '@coppice/client';
import { treeId } from '@coppice/core';
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { HomeSidebar } from '../home/home-sidebar.tsx';
import { DrawerButton } from '../home/sidebar.tsx';
import { formatCompact, formatCost, formatNumber, formatTime, t, tn } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { downloadText } from '../ui/download-file.ts';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { agentsApi, type RecordedSession, type RecordedWork, type WorkFigures } from './agents-api.ts';
import { FailedCallList } from './failed-calls.tsx';
import { HowToRecordDialog } from './how-to-record-dialog.tsx';
import { sessionsToCsv } from './work-csv.ts';

// The refresh interval: a running session changes with every call.
const refreshMs = 3_000;

/** The periods to choose from, with the number of days before today; null means all time. */
const periods = { today: 0, last7Days: 6, last30Days: 29, allTime: null } as const;
type Period = keyof typeof periods;
const periodNames: readonly Period[] = ['today', 'last7Days', 'last30Days', 'allTime'];

/** The beginning of a period: midnight in the user's time zone, or the beginning of time. */
function startOf(period: Period): number {
  const before = periods[period];
  if (before === null) return 0;
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - before);
  return day.getTime();
}

type Grouping = 'project' | 'program';

/** Which sessions are listed. An empty name means all programs or projects. */
interface SessionFilter {
  readonly program: string;
  readonly project: string;
  readonly period: Period;
}

/**
 * Lists the sessions that programs ran through the recording proxy, by project or program, with sub-agents and failed
 * recordings.
 */
export function AgentsScreen(): ReactElement {
  const [by, setBy] = useState<Grouping>('project');
  const [filter, setFilter] = useState<SessionFilter>({ program: '', project: '', period: 'today' });
  const { program, project, period } = filter;
  const { work, loadMore } = useRecordedWork(period);
  const sessions = work?.sessions ?? [];
  const shown = inPeriod(sessions, startOf(period)).filter(
    (session) => (program === '' || session.program === program) && (project === '' || session.project === project),
  );
  return (
    <div className="app two">
      <HomeSidebar />
      <main className="main">
        <AgentsBar filter={filter} isEmpty={sessions.length === 0} />
        <div className="work" aria-busy={work === null}>
          {work === null ? null : <WorkSummary work={work} isToday={period === 'today'} />}
          <FailedCallList />
          {work !== null && sessions.length === 0 ? (
            <p className="hint">
              {t('agentsEmpty')} <code>coppice proxy -- claude</code>
            </p>
          ) : null}
          {sessions.length === 0 ? null : (
            <>
              <div className="row work-filters">
                <SessionFilters sessions={sessions} filter={filter} onChange={setFilter} />
                <span className="grow" />
                <div className="seg">
                  {(['project', 'program'] as const).map((each) => (
                    <button key={each} type="button" aria-pressed={by === each} onClick={() => setBy(each)}>
                      {t(each === 'project' ? 'byProject' : 'byProgram')}
                    </button>
                  ))}
                </div>
              </div>
              {shown.length === 0 ? (
                <p className="hint">{t('noSessionsInPeriod')}</p>
              ) : (
                <SessionTable sessions={shown} by={by} />
              )}
              {loadMore === null ? null : <Button onClick={() => void loadMore()}>{t('moreSessions')}</Button>}
            </>
          )}
        </div>
      </main>
    </div>
  );
}

/** Reads the sessions of a period repeatedly. `loadMore` is null if older pages have none of the period. */
function useRecordedWork(period: Period): {
  readonly work: RecordedWork | null;
  readonly loadMore: (() => Promise<void>) | null;
} {
  const [work, setWork] = useState<RecordedWork | null>(null);
  // A refresh reads as many pages as are shown; otherwise the later ones would disappear.
  const pages = useRef(1);
  const load = useCallback(async () => {
    try {
      const since = startOf(period);
      let read = await agentsApi.list({ since });
      for (let page = 1; page < pages.current && read.cursor !== null; page++) {
        const next = await agentsApi.list({ since, cursor: read.cursor });
        read = { ...read, cursor: next.cursor, sessions: [...read.sessions, ...next.sessions] };
      }
      setWork(read);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  }, [period]);
  useEffect(() => {
    pages.current = 1;
    void load();
    const timer = setInterval(() => {
      if (!document.hidden) void load();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [load]);
  const cursor = work?.cursor ?? null;
  // The list begins with the newest session. If its last session is older than the period, further pages are too.
  const isMore = cursor !== null && inPeriod((work?.sessions ?? []).slice(-1), startOf(period)).length > 0;
  const loadMore = async () => {
    pages.current += 1;
    await load();
  };
  return { work, loadMore: isMore ? loadMore : null };
}

/** The title, the export of the listed sessions, and how to record more. */
function AgentsBar({ filter, isEmpty }: { readonly filter: SessionFilter; readonly isEmpty: boolean }): ReactElement {
  const [help, setHelp] = useState(false);
  return (
    <>
      <div className="bar">
        <DrawerButton />
        <div className="crumb grow">
          <h1>{t('agents')}</h1>
          <span className="ink2 desk-only">{t('agentsLead')}</span>
        </div>
        {isEmpty ? null : (
          <Button
            small
            look="quiet"
            aria-label={t('exportSessions')}
            title={t('exportSessions')}
            onClick={() => void exportSessions(filter)}
          >
            <Icon name="export" />
            <span className="desk-only">{t('exportSessions')}</span>
          </Button>
        )}
        <Button small look="quiet" aria-label={t('howToRecord')} title={t('howToRecord')} onClick={() => setHelp(true)}>
          <Icon name="gear" />
          <span className="desk-only">{t('howToRecord')}</span>
        </Button>
      </div>
      {help ? <HowToRecordDialog onClose={() => setHelp(false)} /> : null}
    </>
  );
}

/** Downloads a table of the sessions, including those that are not loaded yet. */
async function exportSessions(filter: SessionFilter): Promise<void> {
  try {
    const sessions = inPeriod(await loadAll(filter), startOf(filter.period));
    downloadText(sessionsToCsv(sessions), `coppice-sessions-${new Date().toISOString().slice(0, 10)}.csv`, 'text/csv');
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

interface SessionFiltersProps {
  readonly sessions: readonly RecordedSession[];
  readonly filter: SessionFilter;
  readonly onChange: (filter: SessionFilter) => void;
}

function SessionFilters({ sessions, filter, onChange }: SessionFiltersProps): ReactElement {
  const programs = useMemo(() => namesIn(sessions, 'program'), [sessions]);
  const projects = useMemo(() => namesIn(sessions, 'project'), [sessions]);
  return (
    <>
      <NameSelect
        label={t('program')}
        all={t('allPrograms')}
        names={programs}
        value={filter.program}
        onChange={(program) => onChange({ ...filter, program })}
      />
      <NameSelect
        label={t('projectName')}
        all={t('allProjects')}
        names={projects}
        value={filter.project}
        onChange={(project) => onChange({ ...filter, project })}
      />
      <select
        className="input select"
        aria-label={t('period')}
        value={filter.period}
        onChange={(event) =>
          onChange({ ...filter, period: periodNames.find((name) => name === event.target.value) ?? 'today' })
        }
      >
        {periodNames.map((name) => (
          <option key={name} value={name}>
            {t(name)}
          </option>
        ))}
      </select>
    </>
  );
}

/** Returns the sessions with calls since a time, with all their sub-agents and side calls. */
function inPeriod(sessions: readonly RecordedSession[], since: number): readonly RecordedSession[] {
  const inside = new Set<string>();
  let isInside = false;
  for (const session of sessions) {
    // Sub-agents and side calls follow their session in the list.
    if (session.parentId === null) isInside = session.running || session.lastAt >= since;
    if (isInside) inside.add(session.treeId);
  }
  return sessions.filter(({ treeId: id }) => inside.has(id));
}

/** Loads all pages of sessions of a program and a project; an empty name means every program or project. */
async function loadAll({ program, project }: { readonly program: string; readonly project: string }) {
  const all: RecordedSession[] = [];
  const chosen = { ...(program === '' ? {} : { program }), ...(project === '' ? {} : { project }) };
  let cursor: string | null = null;
  do {
    const page: RecordedWork = await agentsApi.list({
      since: 0,
      ...chosen,
      ...(cursor === null ? {} : { cursor }),
    });
    all.push(...page.sessions);
    cursor = page.cursor;
  } while (cursor !== null);
  return all;
}

function namesIn(sessions: readonly RecordedSession[], key: 'program' | 'project'): readonly string[] {
  return [...new Set(sessions.flatMap((session) => session[key] ?? []))].toSorted();
}

interface NameSelectProps {
  readonly label: string;
  readonly all: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function NameSelect({ label, all, names, value, onChange }: NameSelectProps): ReactElement {
  return (
    <select
      className="input select"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function WorkSummary({
  work: { running, recent },
  isToday,
}: {
  readonly work: RecordedWork;
  readonly isToday: boolean;
}): ReactElement {
  return (
    <dl className="work-numbers">
      <Figure className={running > 0 ? 'live' : ''} value={formatNumber(running)} name={t('runningNow')} />
      <Figure value={formatNumber(recent.calls)} name={t(isToday ? 'callsToday' : 'callsInPeriod')} />
      <Figure value={formatNumber(recent.toolCalls)} name={t('toolCalls')} />
      <Figure
        value={formatCompact(recent.tokens)}
        name={t('tokensCached', { n: formatCompact(recent.cachedTokens) })}
      />
      <Figure value={costText(recent)} name={t(isToday ? 'costToday' : 'costInPeriod')} />
      <Figure className={recent.errors > 0 ? 'bad' : ''} value={formatNumber(recent.errors)} name={t('errorsToday')} />
    </dl>
  );
}

function Figure({ value, name, className = '' }: { value: string; name: string; className?: string }): ReactElement {
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function costText({ cost }: WorkFigures): string {
  return cost === null ? '–' : formatCost(cost, 2);
}

const columns = ['toggle', 'program', 'title', 'model', 'calls', 'tools', 'tokens', 'cost', 'errors', 'when'] as const;

function SessionTable({
  sessions,
  by,
}: {
  readonly sessions: readonly RecordedSession[];
  readonly by: Grouping;
}): ReactElement {
  const groups = useMemo(() => groupSessions(sessions, by), [sessions, by]);
  return (
    <table className="work-table">
      <colgroup>
        {columns.map((name) => (
          <col key={name} className={`col-${name}`} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('program')}</th>
          <th scope="col">{t('session')}</th>
          <th scope="col">{t('model')}</th>
          <th scope="col" className="num">
            {t('calls')}
          </th>
          <th scope="col" className="num">
            {t('toolsUsed')}
          </th>
          <th scope="col" className="num">
            {t('tokensUsed')}
          </th>
          <th scope="col" className="num">
            {t('cost')}
          </th>
          <th scope="col" className="num">
            {t('errors')}
          </th>
          <th scope="col" className="num">
            {t('lastChange')}
          </th>
        </tr>
      </thead>
      {groups.map(([name, members]) => (
        <tbody key={name}>
          <tr className="work-group">
            <th colSpan={columns.length} scope="rowgroup">
              <Icon name="folder" />
              {name}
              <small>{[...foldersOf(members), tn('sessionCount', members.length)].join(', ')}</small>
            </th>
          </tr>
          {members.map(({ session, parts }) => (
            <SessionRows key={session.treeId} session={session} parts={parts} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

// A group with more folders than this shows none of them.
const mostFolders = 2;

function foldersOf(members: readonly SessionWithParts[]): readonly string[] {
  const folders = [...new Set(members.flatMap(({ session }) => session.folder ?? []))];
  return folders.length > mostFolders ? [] : folders;
}

interface SessionWithParts {
  readonly session: RecordedSession;
  /** The sub-agents of the session, their own sub-agents, and its side calls. */
  readonly parts: readonly RecordedSession[];
}

/** Groups sessions by project or program. Sub-agents and side calls follow their session in the list. */
function groupSessions(sessions: readonly RecordedSession[], by: 'project' | 'program') {
  const groups = new Map<string, SessionWithParts[]>();
  let last: { readonly session: RecordedSession; readonly parts: RecordedSession[] } | null = null;
  for (const session of sessions) {
    if (session.parentId !== null) {
      last?.parts.push(session);
      continue;
    }
    last = { session, parts: [] };
    const name = session[by] ?? t(by === 'project' ? 'noProject' : 'otherProgram');
    const group = groups.get(name) ?? [];
    group.push(last);
    groups.set(name, group);
  }
  return [...groups];
}

function SessionRows({ session, parts }: SessionWithParts): ReactElement {
  const [open, setOpen] = useState(false);
  const shown = open || parts.some((part) => part.running);
  const title = session.title ?? t('untitled');
  return (
    <>
      <SessionRow session={session} isOpen={shown}>
        <IconButton
          className="parts-button"
          icon={shown ? 'down' : 'right'}
          label={t(shown ? 'hideParts' : 'showParts', { title })}
          aria-expanded={shown}
          onClick={() => setOpen(!open)}
        />
      </SessionRow>
      {shown ? parts.map((part) => <SessionRow key={part.treeId} session={part} isOpen />) : null}
      {shown ? <SessionActions session={session} /> : null}
    </>
  );
}

/** The actions of a session, below it and its sub-agents. */
function SessionActions({ session }: { readonly session: RecordedSession }): ReactElement {
  return (
    <tr className="part open work-actions">
      <td colSpan={2} />
      <td colSpan={columns.length - 2}>
        <PageLink className="btn small" to={treeRoute(treeId(session.treeId))}>
          <Icon name="map" />
          {t('open')}
        </PageLink>
        <Button small look="quiet" onClick={() => void continueHere(session)}>
          <Icon name="fork" />
          {t('continueSession')}
        </Button>
        {session.session === null ? null : <CopyButton text={session.session} label={t('copySessionId')} isText />}
      </td>
    </tr>
  );
}

/** Copies the current branch of a session to a new chat and opens it: the recording is not changed. */
async function continueHere(session: RecordedSession): Promise<void> {
  try {
    const made = await api.duplicate(treeId(session.treeId), {});
    navigateTo(treeRoute(made.treeId));
    showToast({ icon: 'copy', text: t('continuedSession') });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

function SessionRow({
  session,
  isOpen,
  children,
}: {
  readonly session: RecordedSession;
  readonly isOpen: boolean;
  readonly children?: ReactElement;
}): ReactElement {
  const { kind, figures } = session;
  const name =
    kind === 'session' ? (session.program ?? t('otherProgram')) : t(kind === 'sub-agent' ? 'subAgent' : 'sideCalls');
  return (
    <tr className={`${kind === 'session' ? 'session' : 'part'}${isOpen ? ' open' : ''}`}>
      <td className="toggle">{children}</td>
      <td className="program">{name}</td>
      <td className="title">
        <PageLink to={treeRoute(treeId(session.treeId))}>
          <bdi>{session.title ?? t('untitled')}</bdi>
        </PageLink>
        {session.branch === null || kind !== 'session' ? null : (
          <small className="ink2"> {t('gitBranchName', { branch: session.branch })}</small>
        )}
      </td>
      <td className="model-cell">{session.model === null ? null : <ModelName model={session.model} />}</td>
      <td className="num">{formatNumber(figures.calls)}</td>
      <td className="num">{formatNumber(figures.toolCalls)}</td>
      <td className="num">{formatCompact(figures.tokens)}</td>
      <td className="num cost">{costText(figures)}</td>
      <td className={figures.errors > 0 ? 'num bad' : 'num'}>
        {figures.errors > 0 ? formatNumber(figures.errors) : '–'}
      </td>
      <td className="num when">
        {session.running ? <span className="live">{t('nowRunning')}</span> : formatTime(session.lastAt)}
      </td>
    </tr>
  );
}
