/** Exports conversations from a store in any writable format. */
import {
  type ExportEvent,
  type ExportedTree,
  type ExportSelection,
  findFormat,
  readExportedTree,
  writeExport,
} from '@coppice/content/formats';
import { type AbortSignalLike, AppError, type Store, type TreeId } from '@coppice/core';

/** The format and the trees of an export. */
export interface ExportFromOptions {
  readonly format: string;
  /** The trees to write, in this order; by default all trees of the owner, last changed first. */
  readonly trees?: readonly TreeId[];
  /** Restricts the export to a part of the tree; requires exactly one tree. */
  readonly selection?: ExportSelection;
  /** Also exports trees in the trash; ignored if `trees` is given. */
  readonly trashed?: boolean;
  /** Exports only the active branch of each tree, if the format can also write whole trees. */
  readonly thread?: boolean;
  readonly now?: () => number;
  readonly signal?: AbortSignalLike;
}

async function* selectedIds(store: Store, trashed: boolean): AsyncGenerator<TreeId> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Store['trees']>> = await store.trees({
      limit: 200,
      trashed,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { id } of page.items) yield id;
    ({ cursor } = page);
  } while (cursor !== null);
}

async function* chooseTrees(store: Store, { trees, trashed = false }: ExportFromOptions): AsyncGenerator<TreeId> {
  if (trees !== undefined) {
    yield* trees;
    return;
  }
  yield* selectedIds(store, false);
  if (trashed) yield* selectedIds(store, true);
}

/**
 * Writes trees of a store in a format: files in chunks, then the report. Holds one tree in memory at a time. Throws
 * on a format that cannot be written and on unknown trees or nodes.
 */
export async function* exportFrom(store: Store, options: ExportFromOptions): AsyncGenerator<ExportEvent> {
  const format = findFormat(options.format);
  if (format === undefined)
    throw new AppError({
      code: 'import/unknown-format',
      kind: 'invalid',
      message: `There is no format ${JSON.stringify(options.format)}.`,
    });
  async function* trees(): AsyncGenerator<ExportedTree> {
    for await (const id of chooseTrees(store, options)) {
      const names = await store.externalIdsOf(id);
      yield await store.read(id, () => readExportedTree(id, names, options.selection));
    }
  }
  yield* writeExport(format, trees(), {
    now: (options.now ?? Date.now)(),
    blob: (hash) => store.blobs.read(hash),
    ...(options.thread === undefined ? {} : { thread: options.thread }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}
