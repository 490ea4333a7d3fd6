import { toHttpProblem } from '@coppice/client';
import type { NodeId, TreeId } from '@coppice/core';
import { type ReactElement, useEffect, useId, useState } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { reportTexts } from '../i18n/reports.ts';
import { readLocalText, writeLocalText } from '../state/local-storage.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { LocalizedText, nameOfFormat } from './localized-text.tsx';
import { type ExportReportData, type ExportScope, exportUrl, type FormatView, transferApi } from './transfer-api.ts';

/** What is exported: a tree with its leaf and current message, or everything. */
export interface ExportSubject {
  readonly treeId: TreeId;
  readonly leaf: NodeId | null;
  readonly marked: NodeId | null;
}

interface ExportDialogProps {
  readonly about: ExportSubject | null;
  readonly onClose: () => void;
}

type What = ExportScope['what'];

/** Exports a tree, a part of it, or everything, in a format whose losses are shown beforehand. */
export function ExportDialog({ about, onClose }: ExportDialogProps): ReactElement {
  const formats = useExportFormats();
  const [chosen, setChosen] = useState(readLocalText('export-format') ?? (about === null ? 'archive' : 'markdown'));
  const [what, setWhat] = useState<What>('tree');
  const [trashed, setTrashed] = useState(false);
  const format = formats.find((each) => each.name === chosen) ?? formats[0];
  const part = exportPart(about, what);
  return (
    <Dialog title={t(about === null ? 'exportAllTitle' : 'exportTitle')} onClose={onClose} className="export-dialog">
      {about === null ? null : <PartChoice about={about} what={what} onChoose={setWhat} />}
      <FormatField
        formats={formats}
        value={format?.name ?? ''}
        onChange={(name) => {
          setChosen(name);
          writeLocalText('export-format', name);
        }}
      />
      {format === undefined ? null : (
        <>
          <p className="hint">
            <LocalizedText english={format.summary} translated={reportTexts?.formats[format.name]} />
          </p>
          {about === null && format.writes?.files === 'per-tree' ? <p className="hint">{t('exportZip')}</p> : null}
          <Losses about={about} format={format} part={part} />
        </>
      )}
      {about === null ? (
        <label className="row check-row">
          <input type="checkbox" checked={trashed} onChange={(event) => setTrashed(event.target.checked)} />
          {t('exportTrashed')}
        </label>
      ) : null}
      <div className="row foot-row">
        <Button onClick={onClose}>{t('cancel')}</Button>
        {format === undefined ? null : (
          <a
            className="btn primary"
            href={exportUrl(about?.treeId ?? null, format.name, part, trashed)}
            download
            onClick={() => onClose()}
          >
            <Icon name="export" />
            {t('exportTake')}
          </a>
        )}
      </div>
    </Dialog>
  );
}

/** The formats that can be written; empty until they are loaded. */
function useExportFormats(): readonly FormatView[] {
  const [formats, setFormats] = useState<readonly FormatView[]>([]);
  useEffect(() => {
    transferApi.formats().then(
      ({ items }) => setFormats(items.filter((format) => format.writes !== null)),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  }, []);
  return formats;
}

interface FormatFieldProps {
  readonly formats: readonly FormatView[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function FormatField({ formats, value, onChange }: FormatFieldProps): ReactElement {
  const id = useId();
  return (
    <div className="export-format">
      <label htmlFor={id}>{t('exportFormat')}</label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        {formats.map((each) => (
          <option key={each.name} value={each.name}>
            {nameOfFormat(each)}
          </option>
        ))}
      </select>
    </div>
  );
}

function exportPart(about: ExportSubject | null, what: What): ExportScope {
  if (about === null || what === 'tree') return { what: 'tree' };
  const node = what === 'branch' ? (about.marked ?? about.leaf) : about.leaf;
  return node === null ? { what: 'tree' } : { what, node };
}

const parts = [
  { what: 'path', label: 'exportThread' },
  { what: 'branch', label: 'exportBranch' },
  { what: 'tree', label: 'exportTree' },
] as const;

function PartChoice({
  about,
  what,
  onChoose,
}: {
  readonly about: ExportSubject;
  readonly what: What;
  readonly onChoose: (what: What) => void;
}): ReactElement {
  return (
    <fieldset className="export-parts">
      <legend>{t('exportWhat')}</legend>
      {parts.map((each) => (
        <label key={each.what} className="row check-row">
          <input
            type="radio"
            name="what"
            checked={what === each.what}
            disabled={each.what !== 'tree' && about.leaf === null}
            onChange={() => onChoose(each.what)}
          />
          {t(each.label)}
        </label>
      ))}
    </fieldset>
  );
}

interface LossesProps {
  readonly about: ExportSubject | null;
  readonly format: FormatView;
  readonly part: ExportScope;
}

/** Lists what the format would lose of this tree, with counts; for all trees, what it may lose. */
function Losses({ about, format, part }: LossesProps): ReactElement {
  const [report, setReport] = useState<ExportReportData | null>(null);
  const treeId = about?.treeId ?? null;
  const { what, node } = part;
  useEffect(() => {
    setReport(null);
    if (treeId === null) return;
    const stop = new AbortController();
    transferApi.report(treeId, format.name, { what, node }, stop.signal).then(setReport, (thrown) => {
      if (!stop.signal.aborted) showError(toHttpProblem(thrown));
    });
    return () => stop.abort();
  }, [treeId, format.name, what, node]);
  const loses = format.writes?.loses ?? {};
  const sentenceOf = (name: string) =>
    loses[name] ?? report?.losses.find((loss) => loss.what === name)?.message ?? name;
  if (treeId !== null && report === null)
    return (
      <p className="hint" role="status">
        {t('exportWeighing')}
      </p>
    );
  const lost =
    report === null ? Object.keys(loses).map((name) => [name, null] as const) : Object.entries(report.counts);
  if (lost.length === 0)
    return (
      <p className="hint loses-nothing" role="status">
        <Icon name="check" />
        {t('exportLosesNothing')}
      </p>
    );
  return (
    <section className="loses" aria-label={t('exportLoses')}>
      <h3>{t('exportLoses')}</h3>
      <ul>
        {lost.map(([name, count]) => (
          <li key={name}>
            <span className="num">{count === null ? '' : formatNumber(count)}</span>
            <LocalizedText english={sentenceOf(name)} translated={reportTexts?.losses[name]} />
          </li>
        ))}
      </ul>
    </section>
  );
}
