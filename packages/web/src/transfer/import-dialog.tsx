import { type ReactElement, useRef } from 'react';
import { t, tn } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReceivedErrorText } from '../ui/translated-text.tsx';
import { FoundPrograms } from './found-programs.tsx';
import {
  type ImportItem,
  importPreviewedSource,
  importProgressOf,
  importSources,
  setImportOptions,
  stopImport,
  useImports,
} from './import-queue.ts';
import { ImportReportView } from './import-report.tsx';
import { nameOfFormat } from './localized-text.tsx';
import { readChosenSources, readDroppedSources } from './sources.ts';

/** Imports conversations: drop area, progress and result of each. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const items = useImports((queue) => queue.items);
  return (
    <Dialog title={t('importTitle')} onClose={onClose} className="import-dialog">
      {items.map((item) => (
        <ImportRow key={item.key} item={item} onClose={onClose} />
      ))}
      <FileChooser small={items.length > 0} />
      <FoundPrograms />
    </Dialog>
  );
}

/** The area to drop or choose files. */
function FileChooser({ small }: { readonly small: boolean }): ReactElement {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const chosen = (input: HTMLInputElement) => {
    if (input.files !== null) importSources(readChosenSources(input.files));
    // Reset, so that the same file can be chosen again.
    input.value = '';
  };
  return (
    <section
      className={small ? 'drop-zone small' : 'drop-zone'}
      aria-label={t('importTitle')}
      data-testid="drop-zone"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void readDroppedSources(event.dataTransfer).then((sources) => importSources(sources));
      }}
    >
      {small ? null : (
        <>
          <Icon name="import" />
          <p>{t('importHint')}</p>
          <p className="hint">{t('importAgain')}</p>
        </>
      )}
      <div className="row choose-row">
        <Button look={small ? 'plain' : 'primary'} icon="plus" onClick={() => files.current?.click()}>
          {t('chooseFiles')}
        </Button>
        <Button icon="folder" onClick={() => folder.current?.click()}>
          {t('chooseFolder')}
        </Button>
      </div>
      <input ref={files} type="file" multiple hidden onChange={(event) => chosen(event.currentTarget)} />
      <input
        ref={(element) => {
          folder.current = element;
          // React has no property for this attribute.
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        onChange={(event) => chosen(event.currentTarget)}
      />
      <ImportOptions />
    </section>
  );
}

/** The options of the next imports. */
function ImportOptions(): ReactElement {
  const { dryRun, strict } = useImports((queue) => queue.wish);
  return (
    <>
      <label className="row check-row">
        <input
          type="checkbox"
          checked={dryRun}
          onChange={(event) => setImportOptions({ dryRun: event.target.checked })}
        />
        {t('dryRun')}
      </label>
      <label className="row check-row">
        <input
          type="checkbox"
          checked={strict}
          onChange={(event) => setImportOptions({ strict: event.target.checked })}
        />
        {t('strictRun')}
      </label>
    </>
  );
}

function importState(item: ImportItem): string {
  if (item.phase === 'waiting') return t('importWaiting');
  if (item.phase === 'packing') return t('importPacking');
  if (item.phase === 'sending') return t('importSending');
  if (item.phase === 'importing') return t('importReading');
  const { view, problem } = item;
  if (problem?.code === 'page/aborted' || view?.state === 'cancelled') return t('importCancelled');
  if (problem !== null || view === null || view.state === 'failed') return t('importFailed');
  return view.dryRun ? t('importLooked') : t('importDone');
}

function ImportRow({ item, onClose }: { readonly item: ImportItem; readonly onClose: () => void }): ReactElement {
  const { view, problem, phase } = item;
  const over = phase === 'over';
  const share = importProgressOf(item);
  const failed = problem ?? view?.error ?? null;
  const bad = over && (problem !== null || view === null || view.state === 'failed');
  const stopped = view?.state === 'cancelled';
  return (
    <section className="import-item" aria-label={t('importReport', { name: item.name })}>
      <div className="row import-head">
        <Icon name={!over ? 'import' : bad ? 'warn' : 'check'} />
        <b className="clip">{item.name}</b>
        {view?.format == null ? null : <span className="chip">{nameOfFormat(view.format)}</span>}
        <span className="grow" />
        {/* The bar shows the progress; screen readers only hear the start and end. */}
        <span className={bad ? 'import-state bad' : 'import-state'} role="status">
          {importState(item)}
        </span>
        {share === null ? null : (
          <span className="import-state num" aria-hidden="true">
            {t('percent', { n: Math.floor(share * 100) })}
          </span>
        )}
        {over ? null : (
          <Button small onClick={() => void stopImport(item.key)}>
            {t('importStop')}
          </Button>
        )}
      </div>
      {over ? null : (
        <>
          <progress
            aria-label={t('importUnderWay', { name: item.name })}
            {...(share === null ? {} : { value: share })}
          />
          {view === null ? null : (
            <p className="hint">
              {tn('treesInAll', view.progress.conversations)}, {tn('messages', view.progress.records)}
            </p>
          )}
        </>
      )}
      {over && failed !== null && failed.message !== '' && !stopped ? (
        <p className="import-said">
          <ReceivedErrorText of={failed} />
        </p>
      ) : null}
      {over && view !== null ? <ImportReportView view={view} onClose={onClose} /> : null}
      {over && view?.dryRun === true && view.state === 'done' && item.source !== null ? (
        <div className="row foot-row">
          <Button look="primary" icon="import" onClick={() => importPreviewedSource(item)}>
            {t('importForReal')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
