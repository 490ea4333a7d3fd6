import { type ListPage, toHttpProblem } from '@coppice/client';
import { type ReactElement, type ReactNode, useCallback, useEffect, useState } from 'react';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { translateFinding } from '../i18n/reports.ts';
import { navigateTo, treeRoute, urlOfRoute } from '../state/router.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { type ImportedTreeData, type ImportFindingData, type ImportViewData, transferApi } from './transfer-api.ts';

type TallyTable = NonNullable<ImportViewData['report']>['records'];

const columns = ['read', 'stored', 'merged', 'rejected'] as const;
const columnNames = {
  read: 'columnRead',
  stored: 'columnStored',
  merged: 'columnMerged',
  rejected: 'columnRejected',
} as const;

/** The result of an import: counts, trees and findings. */
export function ImportReportView({
  view,
  onClose,
}: {
  readonly view: ImportViewData;
  readonly onClose: () => void;
}): ReactElement {
  const { report, listed, id } = view;
  const all = Object.values(report?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <>
      {report === null ? null : (
        <table className="tally">
          <thead>
            <tr>
              <td />
              {columns.map((column) => (
                <th key={column} scope="col">
                  {t(columnNames[column])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <ReportLine name={t('conversations')} tally={report.conversations} />
            <ReportLine name={t('recordsName')} tally={report.records} />
          </tbody>
        </table>
      )}
      {report !== null && report.attachments > 0 ? (
        <p className="hint">{tn('attachmentsCame', report.attachments)}</p>
      ) : null}
      {listed.trees > 0 ? (
        <Paged name={t('newTreesName')} id={id} load={transferApi.trees}>
          {(tree) => (
            <li key={tree.treeId}>
              {view.dryRun ? (
                <span className="clip" dir="auto">
                  {tree.title ?? t('untitled')}
                </span>
              ) : (
                <TreeLink tree={tree} onGo={onClose} />
              )}
              <span className="dim">{t(tree.created ? 'columnStored' : 'columnMerged')}</span>
            </li>
          )}
        </Paged>
      ) : null}
      {listed.findings > 0 ? (
        <Paged name={t('findingsName')} id={id} load={transferApi.findings}>
          {(finding, index) => <FindingLine key={index} finding={finding} />}
        </Paged>
      ) : null}
      {all > 0 ? <p className="hint">{tn('findingsInAll', all)}</p> : null}
      {report !== null && all === 0 ? <p className="hint">{t('nothingNoticed')}</p> : null}
    </>
  );
}

/** A link that also closes the dialog, which would cover its target. */
function TreeLink({ tree, onGo }: { readonly tree: ImportedTreeData; readonly onGo: () => void }): ReactElement {
  const place = treeRoute(tree.treeId);
  return (
    <a
      className="clip"
      href={urlOfRoute(place)}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onGo();
        navigateTo(place);
      }}
    >
      {tree.title ?? t('untitled')}
    </a>
  );
}

function ReportLine({ name, tally }: { readonly name: string; readonly tally: TallyTable }): ReactElement {
  return (
    <tr>
      <th scope="row">{name}</th>
      {columns.map((column) => (
        <td key={column} className={tally[column] === 0 ? 'num none' : 'num'}>
          {formatNumber(tally[column])}
        </td>
      ))}
    </tr>
  );
}

const severities = {
  loss: { label: 'findingLoss', icon: 'warn' },
  repair: { label: 'findingRepair', icon: 'tool' },
  note: { label: 'findingNote', icon: 'check' },
} as const;

function FindingLine({ finding }: { readonly finding: ImportFindingData }): ReactElement {
  const { label, icon } = severities[finding.severity];
  return (
    <li className={`finding ${finding.severity}`}>
      <Icon name={icon} />
      <span className="kind">{t(label)}</span>
      <FindingWords finding={finding} />
    </li>
  );
}

function FindingWords({ finding }: { readonly finding: ImportFindingData }): ReactElement {
  const translated = translateFinding(finding);
  if (translated === null)
    return (
      <span className="said" lang="en">
        {finding.message}
      </span>
    );
  return (
    <span className="said">
      {translated.said}
      {translated.detail === '' ? null : (
        <>
          {' ('}
          <span {...(translated.english ? { lang: 'en' } : {})}>{translated.detail}</span>)
        </>
      )}
      .
    </span>
  );
}

interface PagedProps<T> {
  readonly name: string;
  readonly id: string;
  readonly load: (id: string, cursor?: string) => Promise<ListPage<T>>;
  readonly children: (item: T, index: number) => ReactNode;
}

/** A list that is loaded by page, on demand. */
function Paged<T>({ name, id, load, children }: PagedProps<T>): ReactElement {
  const [items, setItems] = useState<readonly T[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const more = useCallback(
    (from?: string) =>
      load(id, from).then(
        (page) => {
          setItems((known) => (from === undefined ? page.items : [...known, ...page.items]));
          setCursor(page.cursor);
        },
        (thrown) => showError(toHttpProblem(thrown)),
      ),
    [id, load],
  );
  useEffect(() => void more(), [more]);
  return (
    <>
      <h3 className="paged-name">{name}</h3>
      <ul className="paged" aria-label={name}>
        {items.map(children)}
      </ul>
      {cursor === null ? null : (
        <Button small look="quiet" onClick={() => void more(cursor)}>
          {t('showMore')}
        </Button>
      )}
    </>
  );
}
