import { toHttpProblem } from '@coppice/client';
import type { TextDiffPart } from '@coppice/core';
import { diffText } from '@coppice/core/diff';
import { type ReactElement, useMemo, useState } from 'react';
import { formatTime, t, tn } from '../i18n/index.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { RemoveConnectionDialog } from './remove-connection-dialog.tsx';
import { type ServerTool, type ToolDecision, type ToolServer, type ToolServerList, toolsApi } from './settings-api.ts';
import { joinCommandLine } from './split-command-line.ts';

interface ToolServerRowProps {
  readonly server: ToolServer;
  /** Whether the user may decide about tools. */
  readonly mayDecide: boolean;
  readonly onList: (list: ToolServerList) => void;
  readonly onReload: () => void;
}

/** Starts a text with a capital letter: the server words its reasons for the middle of a log line. */
function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The number of tools that are listed at first, so that the next server stays near.
const shownTools = 6;

/** An MCP server: its state, its tools with their decisions, and changed definitions. */
export function ToolServerRow({ server, mayDecide, onList, onReload }: ToolServerRowProps): ReactElement {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const { name, tools, target, removable, lastError, problems } = server;
  const run = (work: Promise<ToolServerList>, done?: string) => {
    setBusy(true);
    work
      .then((list) => {
        onList(list);
        if (done !== undefined) showToast({ icon: 'check', text: done });
      })
      .catch((thrown) => showError(toHttpProblem(thrown)))
      .finally(() => setBusy(false));
  };
  const remove = () => {
    setAsking(false);
    run(toolsApi.remove(name), t('disconnected', { name }));
  };
  // A tool that never runs needs no approval; the page asks for the approval again when the user allows the tool.
  const changed = tools.filter((tool) => tool.status === 'changed' && tool.decision !== 'never');
  return (
    <li className="row-item">
      <div className="row-line">
        <div className="row-name">
          <b>{name}</b>
          <span className="row-detail mono">{joinCommandLine(target)}</span>
        </div>
        <ServerStatus server={server} changed={changed.length} />
        <div className="row-end">
          {mayDecide ? (
            <Button
              small
              disabled={busy}
              aria-label={t(server.status === 'ready' ? 'testNamed' : 'tryAgainNamed', { name })}
              onClick={() => run(toolsApi.test(name))}
            >
              {t(server.status === 'ready' ? 'test' : 'tryAgain')}
            </Button>
          ) : null}
          {removable && mayDecide ? (
            <Menu trigger={<IconButton icon="more" label={t('moreFor', { name })} />}>
              <MenuItem icon="trash" danger onSelect={() => setAsking(true)}>
                {t('removeConnection')}
              </MenuItem>
            </Menu>
          ) : null}
          {asking ? (
            <RemoveConnectionDialog
              name={name}
              words={t('removeServerWords')}
              onRemove={remove}
              onClose={() => setAsking(false)}
            />
          ) : null}
        </div>
      </div>
      {lastError === null && problems.length === 0 ? null : (
        <div className="row-result">
          <div className={lastError === null ? 'result warn' : 'result bad'} role="status">
            <Icon name="warn" />
            <span lang="en">{toSentence([lastError ?? '', ...problems].filter(Boolean).join(' '))}</span>
          </div>
        </div>
      )}
      {changed.map((tool) => (
        <ChangedTool key={tool.tool} tool={tool} mayDecide={mayDecide} onDone={onReload} />
      ))}
      <ToolLines tools={tools} mayDecide={mayDecide} onDone={onReload} />
    </li>
  );
}

interface ToolLinesProps {
  readonly tools: readonly ServerTool[];
  readonly mayDecide: boolean;
  readonly onDone: () => void;
}

/** The first tools of a server, and the others on demand. */
function ToolLines({ tools, mayDecide, onDone }: ToolLinesProps): ReactElement {
  const [all, setAll] = useState(false);
  const shown = all ? tools : tools.slice(0, shownTools);
  return (
    <>
      {shown.length === 0 ? null : (
        <ul className="tool-lines">
          {shown.map((tool) => (
            <ToolLine key={tool.tool} tool={tool} mayDecide={mayDecide} onDone={onDone} />
          ))}
        </ul>
      )}
      {tools.length > shownTools ? (
        <div className="row-result">
          <Button small look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t('showLess') : tn('showMoreTools', tools.length - shownTools)}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function ServerStatus({ server, changed }: { readonly server: ToolServer; readonly changed: number }): ReactElement {
  const { status, tools } = server;
  if (changed > 0)
    return (
      <span className="state warn">
        <Icon name="warn" />
        {t('waitingForYou')}
      </span>
    );
  if (status === 'ready')
    return (
      <span className="state ok">
        <Icon name="check" />
        {tn('connectedTools', tools.length)}
      </span>
    );
  if (status === 'disabled') return <span className="state">{t('switchedOff')}</span>;
  if (status === 'starting' || status === 'restarting') return <span className="state">{t('connecting')}</span>;
  return (
    <span className="state bad">
      <Icon name="x" />
      {t('notConnected')}
    </span>
  );
}

const decisions: readonly ToolDecision[] = ['ask', 'allow', 'never'];
const decisionNames = { ask: 'decideAsk', allow: 'decideAllow', never: 'decideNever' } as const;

interface ToolLineProps {
  readonly tool: ServerTool;
  readonly mayDecide: boolean;
  readonly onDone: () => void;
}

function ToolLine({ tool, mayDecide, onDone }: ToolLineProps): ReactElement {
  const decide = (decision: ToolDecision) => {
    if (tool.name !== null)
      toolsApi.decide(tool.name, decision).then(onDone, (thrown) => showError(toHttpProblem(thrown)));
  };
  return (
    <li className="tool-line">
      <code>{tool.tool}</code>
      <p lang="en" title={tool.description}>
        {tool.problem ?? tool.description}
      </p>
      {tool.name === null || tool.status === 'refused' ? null : (
        <fieldset className="seg" disabled={!mayDecide}>
          <legend className="sr">{t('decisionFor', { name: tool.tool })}</legend>
          {decisions.map((each) => (
            <button key={each} type="button" aria-pressed={tool.decision === each} onClick={() => decide(each)}>
              {t(decisionNames[each])}
            </button>
          ))}
        </fieldset>
      )}
    </li>
  );
}

/**
 * A tool whose definition changed: shows what changed word by word, a button that approves exactly the shown
 * definition, and one that refuses all calls of the tool.
 */
function ChangedTool({ tool, mayDecide, onDone }: ToolLineProps): ReactElement | null {
  const { offer, name } = tool;
  if (offer === undefined || name === null) return null;
  const finish = (work: Promise<unknown>) => {
    work.then(onDone, (thrown) => showError(toHttpProblem(thrown)));
  };
  return (
    <section className="settings-form" aria-label={t('definitionChanged', { name: tool.tool })}>
      <div className="result warn" role="status">
        <Icon name="warn" />
        <span>
          <b>{t('definitionChanged', { name: tool.tool })}</b> {t('definitionWaits')}
        </span>
      </div>
      <div className="definition">
        <header>
          <code>{tool.tool}</code>
          {tool.pinnedAt === null ? null : <span>{t('definitionSince', { when: formatTime(tool.pinnedAt) })}</span>}
        </header>
        <pre lang="en">
          <ChangedText before={tool.description} after={offer.description} />
          {offer.changed.includes('parameters') ? <ins>+ {JSON.stringify(offer.parameters, null, 2)}</ins> : null}
        </pre>
      </div>
      {mayDecide ? (
        <div className="form-foot">
          <span className="grow" />
          <Button onClick={() => finish(toolsApi.decide(name, 'never'))}>{t('keepToolOff')}</Button>
          <Button look="primary" onClick={() => finish(toolsApi.approve(name, offer.hash))}>
            {t('approveChange')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

/** Two texts, one below the other, with the words marked that are in one of them only. */
function ChangedText({ before, after }: { readonly before: string; readonly after: string }): ReactElement {
  const parts = useMemo(() => diffText(before, after), [before, after]);
  if (before === after) return <span>{`  ${after}`}</span>;
  return (
    <>
      <del>
        {'- '}
        <MarkedText parts={parts} mark="removed" skip="added" />
      </del>
      <ins>
        {'+ '}
        <MarkedText parts={parts} mark="added" skip="removed" />
      </ins>
    </>
  );
}

interface MarkedTextProps {
  readonly parts: readonly TextDiffPart[];
  readonly mark: TextDiffPart['type'];
  readonly skip: TextDiffPart['type'];
}

function MarkedText({ parts, mark, skip }: MarkedTextProps): ReactElement {
  let at = 0;
  const shown = parts.flatMap((part) => {
    const key = at;
    at += part.text.length;
    return part.type === skip ? [] : [{ key, part }];
  });
  return (
    <>
      {shown.map(({ key, part }) =>
        part.type === mark ? <mark key={key}>{part.text}</mark> : <span key={key}>{part.text}</span>,
      )}
    </>
  );
}
