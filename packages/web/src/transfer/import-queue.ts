/** The imports of this page: uploads, which run one after the other, and imports that continued during a reload. */

import { followEvents, HttpProblem, toHttpProblem } from '@coppice/client';
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import { loadTrees } from '../state/app-data.ts';
import { pageClient } from '../state/page-client.ts';
import { openDialog } from '../state/ui.ts';
import type { ImportSource } from './sources.ts';
import {
  type ImportOptionsBody,
  type ImportViewData,
  importEventsUrl,
  sendImport,
  transferApi,
} from './transfer-api.ts';

/** One import of this page, from the upload to the report. */
export interface ImportItem {
  readonly key: number;
  readonly name: string;
  readonly phase: 'waiting' | 'packing' | 'sending' | 'importing' | 'over';
  /** The uploaded fraction, from 0 to 1. */
  readonly sent: number;
  readonly view: ImportViewData | null;
  readonly problem: HttpProblem | null;
  /** The source for a retry; null after a reload. */
  readonly source: ImportSource | null;
  readonly wish: ImportOptionsBody;
}

interface ImportQueue {
  readonly items: readonly ImportItem[];
  readonly wish: ImportOptionsBody;
}

/** The list, newest last, and the options of the next import. */
export const useImports = create<ImportQueue>(() => ({ items: [], wish: { dryRun: false, strict: false } }));

const stops = new Map<number, AbortController>();
let next = 1;
let working = false;

function changeItem(key: number, set: Partial<ImportItem>): void {
  useImports.setState(({ items }) => ({ items: items.map((item) => (item.key === key ? { ...item, ...set } : item)) }));
}

function itemOf(key: number): ImportItem | undefined {
  return useImports.getState().items.find((item) => item.key === key);
}

function addItem(item: Omit<ImportItem, 'key' | 'sent' | 'problem'>): number {
  const key = next++;
  stops.set(key, new AbortController());
  useImports.setState(({ items }) => ({ items: [...items, { ...item, key, sent: 0, problem: null }] }));
  return key;
}

// The browser asks before leaving: a running upload would be lost. What the server has received continues.
addEventListener('beforeunload', (event) => {
  const { items } = useImports.getState();
  if (items.some(({ phase }) => phase !== 'importing' && phase !== 'over')) event.preventDefault();
});

export function setImportOptions(set: Partial<ImportOptionsBody>): void {
  useImports.setState(({ wish }) => ({ wish: { ...wish, ...set } }));
}

/** Adds sources to the queue and shows their progress. */
export function importSources(sources: readonly ImportSource[], wish = useImports.getState().wish): void {
  for (const source of sources) addItem({ name: source.name, phase: 'waiting', view: null, source, wish });
  if (sources.length > 0) openDialog({ name: 'import' });
  void runNext();
}

/** Uploads one file at a time: the server accepts only a few, and the bandwidth is limited. */
async function runNext(): Promise<void> {
  if (working) return;
  working = true;
  try {
    for (;;) {
      const item = useImports.getState().items.find((each) => each.phase === 'waiting');
      if (item === undefined) return;
      await sendItem(item).catch((thrown) => changeItem(item.key, { phase: 'over', problem: toHttpProblem(thrown) }));
    }
  } finally {
    working = false;
  }
}

async function sendItem({ key, source, wish, name }: ImportItem): Promise<void> {
  const signal = stops.get(key)?.signal;
  if (source === null || signal === undefined) return changeItem(key, { phase: 'over' });
  if (source.kind === 'found') return importFoundItem(key, source.format, wish, signal);
  const { body, called } =
    source.kind === 'file' ? { body: source.file, called: name } : await folderSource(key, source, signal);
  changeItem(key, { phase: 'sending' });
  const view = await sendImport(body, called, wish, { signal, onSent: (sent) => changeItem(key, { sent }) });
  changeItem(key, { phase: 'importing', view, sent: 1 });
  await followImport(key, view);
}

/**
 * Imports files that the server reads itself. If the user stops the import before its id is known, it is cancelled as
 * soon as the id arrives.
 */
async function importFoundItem(
  key: number,
  format: string,
  wish: ImportOptionsBody,
  signal: AbortSignal,
): Promise<void> {
  changeItem(key, { phase: 'importing' });
  const view = await transferApi.importFound(format, wish);
  changeItem(key, { view });
  if (signal.aborted) await transferApi.cancel(view.id).catch(() => undefined);
  await followImport(key, view);
}

async function folderSource(
  key: number,
  { name, files, whole }: Extract<ImportSource, { kind: 'folder' }>,
  signal: AbortSignal,
) {
  changeItem(key, { phase: 'packing' });
  const { maxArchiveBytes: largestFolder, zipFolder } = await import('./zip-folder.ts');
  if (files.length === 0) throw new HttpProblem('page/empty', t('folderEmpty', { name }), -1);
  if (!whole || files.reduce((sum, { file }) => sum + file.size, 0) > largestFolder)
    throw new HttpProblem('page/too-large', t('folderTooLarge', { name }), -1);
  return { body: await zipFolder(files, signal), called: `${name}.zip` };
}

/** Gives the JSON of an event its type; the server sends only this shape on the stream. */
function asImportView(data: unknown): ImportViewData;
function asImportView(data: unknown): unknown {
  return data;
}

/** Follows an import to its end, reconnecting if necessary. */
function followImport(key: number, { id }: ImportViewData): Promise<void> {
  return new Promise((resolve) => {
    const end = (set: Partial<ImportItem>) => {
      events.close();
      changeItem(key, { ...set, phase: 'over' });
      void loadTrees();
      resolve();
    };
    const events = followEvents(pageClient, {
      path: () => importEventsUrl(id),
      whileHidden: () => true,
      event(name, data) {
        if (name === 'progress') changeItem(key, { view: asImportView(data) });
        if (name === 'end') end({ view: asImportView(data) });
      },
      // The server no longer has the stream: the import has ended.
      isOver(problem) {
        if (problem === null || problem.offline) return false;
        transferApi.import(id).then(
          (view) => end({ view }),
          (thrown) => end({ problem: toHttpProblem(thrown) }),
        );
        return true;
      },
    });
  });
}

/** Stops an import in any phase. */
export async function stopImport(key: number): Promise<void> {
  const item = itemOf(key);
  if (item === undefined) return;
  if (item.phase === 'importing' && item.view !== null) {
    await transferApi.cancel(item.view.id).catch(() => undefined);
    return;
  }
  stops.get(key)?.abort();
  if (item.phase === 'waiting') changeItem(key, { phase: 'over', problem: new HttpProblem('page/aborted', '', -1) });
}

/** Imports a source that was only previewed. */
export function importPreviewedSource({ source, wish }: ImportItem): void {
  if (source !== null) importSources([source], { ...wish, dryRun: false });
}

let found = false;

/** Finds imports that continued during a reload; runs once. */
export async function resumeImports(): Promise<void> {
  if (found) return;
  found = true;
  const answer = await transferApi.imports().catch(() => null);
  for (const view of answer?.items ?? []) {
    const known = useImports.getState().items.some((item) => item.view?.id === view.id);
    if (view.state !== 'running' || known) continue;
    const { dryRun, strict } = view;
    const key = addItem({ name: view.name, phase: 'importing', view, source: null, wish: { dryRun, strict } });
    void followImport(key, view);
  }
}

/** The progress of an import, from 0 to 1; null if unknown. */
export function importProgressOf({ phase, sent, view }: ImportItem): number | null {
  if (phase === 'sending') return sent;
  if (phase !== 'importing' || view === null) return null;
  const { bytes, total } = view.progress;
  return total === null || total === 0 ? null : Math.min(1, bytes / total);
}
