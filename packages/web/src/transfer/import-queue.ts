/** The imports that this page knows: those it sends, one after the other, and those that go on after a reload. */
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import { loadTrees } from '../state/app-data.ts';
import { asProblem, HttpProblem } from '../state/http.ts';
import { openDialog } from '../state/ui.ts';
import type { ImportSource } from './sources.ts';
import { type ImportOptionsBody, type ImportViewData, importEvents, sendImport, transferApi } from './transfer-api.ts';

/** One import as the page sees it. */
export interface ImportItem {
  readonly key: number;
  readonly name: string;
  readonly phase: 'waiting' | 'packing' | 'sending' | 'importing' | 'over';
  /** How much of it has left this page, from 0 to 1. */
  readonly sent: number;
  readonly view: ImportViewData | null;
  readonly problem: HttpProblem | null;
  /** What can be sent again; null for what came before a reload. */
  readonly source: ImportSource | null;
  readonly wish: ImportOptionsBody;
}

interface ImportQueue {
  readonly items: readonly ImportItem[];
  readonly wish: ImportOptionsBody;
}

/** The list, the newest last, and how the next one is wished. */
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

/** What has not left this page yet would be lost with it; what the server has goes on without it. */
addEventListener('beforeunload', (event) => {
  const { items } = useImports.getState();
  if (items.some(({ phase }) => phase !== 'importing' && phase !== 'over')) event.preventDefault();
});

/** Says how the next imports are wished. */
export function wishImports(set: Partial<ImportOptionsBody>): void {
  useImports.setState(({ wish }) => ({ wish: { ...wish, ...set } }));
}

/** Takes sources into the queue and shows how they fare. */
export function importSources(sources: readonly ImportSource[], wish = useImports.getState().wish): void {
  for (const source of sources) addItem({ name: source.name, phase: 'waiting', view: null, source, wish });
  if (sources.length > 0) openDialog({ name: 'import' });
  void runNext();
}

/** Sends what waits, one at a time: a server takes only a few at once, and a line has only so much room. */
async function runNext(): Promise<void> {
  if (working) return;
  working = true;
  try {
    for (;;) {
      const item = useImports.getState().items.find((each) => each.phase === 'waiting');
      if (item === undefined) return;
      await sendItem(item).catch((thrown) => changeItem(item.key, { phase: 'over', problem: asProblem(thrown) }));
    }
  } finally {
    working = false;
  }
}

async function sendItem({ key, source, wish, name }: ImportItem): Promise<void> {
  const signal = stops.get(key)?.signal;
  if (source === null || signal === undefined) return changeItem(key, { phase: 'over' });
  const { body, called } =
    source.kind === 'file' ? { body: source.file, called: name } : await folderSource(key, source, signal);
  changeItem(key, { phase: 'sending' });
  const view = await sendImport(body, called, wish, { signal, onSent: (sent) => changeItem(key, { sent }) });
  changeItem(key, { phase: 'importing', view, sent: 1 });
  await followImport(key, view);
}

async function folderSource(
  key: number,
  { name, files, whole }: Extract<ImportSource, { kind: 'folder' }>,
  signal: AbortSignal,
) {
  changeItem(key, { phase: 'packing' });
  const { largestFolder, zipFolder } = await import('./zip-folder.ts');
  if (files.length === 0) throw new HttpProblem('page/empty', t('folderEmpty', { name }), -1);
  if (!whole || files.reduce((sum, { file }) => sum + file.size, 0) > largestFolder)
    throw new HttpProblem('page/too-large', t('folderTooLarge', { name }), -1);
  return { body: await zipFolder(files, signal), called: `${name}.zip` };
}

function viewIn(event: Event): ImportViewData | null {
  if (!(event instanceof MessageEvent) || typeof event.data !== 'string') return null;
  const view: ImportViewData = JSON.parse(event.data);
  return view;
}

/** Follows an import to its end, over breaks of the line. */
function followImport(key: number, { id }: ImportViewData): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(importEvents(id));
    const end = (set: Partial<ImportItem>) => {
      source.close();
      changeItem(key, { ...set, phase: 'over' });
      void loadTrees();
      resolve();
    };
    source.addEventListener('progress', (event) => {
      const view = viewIn(event);
      if (view !== null) changeItem(key, { view });
    });
    source.addEventListener('end', (event) => end({ view: viewIn(event) }));
    source.addEventListener('error', () => {
      // A browser tries again by itself, but not where it was answered that there is nothing.
      if (source.readyState !== EventSource.CLOSED) return;
      transferApi.import(id).then(
        (view) => end({ view }),
        (thrown) => end({ problem: asProblem(thrown) }),
      );
    });
  });
}

/** Stops one, wherever it is. */
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

/** Imports for real what was only looked at. */
export function importForReal({ source, wish }: ImportItem): void {
  if (source !== null) importSources([source], { ...wish, dryRun: false });
}

let found = false;

/** Finds imports that went on while the page was loaded anew; once is enough. */
export async function findImports(): Promise<void> {
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

/** How far an import is, from 0 to 1; null where nobody can tell. */
export function progressOf({ phase, sent, view }: ImportItem): number | null {
  if (phase === 'sending') return sent;
  if (phase !== 'importing' || view === null) return null;
  const { bytes, total } = view.progress;
  return total === null || total === 0 ? null : Math.min(1, bytes / total);
}
