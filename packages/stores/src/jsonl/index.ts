/** Sessions in files of JSON lines that other tools can read, one file each, only ever added to. */
import { resolve } from 'node:path';
import { type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { BookStore, bookOf, type Desk, deskOf, type Nameplate } from '../book/book-store.ts';
import { tidyFolder } from '../disk/passing.ts';
import { withSides } from '../disk/side-check.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backupSessions } from './backup.ts';
import { fsckSessions } from './fsck.ts';
import { type Holdings, JsonlKeeper } from './jsonl-keeper.ts';
import { openPlace } from './opening.ts';

/** What the handles of one open place share. */
interface Shared {
  readonly desk: Desk;
  readonly plate: Nameplate;
  readonly holdings: Holdings;
  readonly keeper: JsonlKeeper;
}

/**
 * A store of session files: a folder of them, or one file. One process writes to a file at a time; another one reads it
 * and is told who writes. What other tools add to a file meanwhile is read before anything is written.
 */
export class SessionStore extends BookStore {
  readonly #shared: Shared;

  private constructor(shared: Shared, owner: string) {
    super(shared.desk, shared.plate, owner);
    this.#shared = shared;
  }

  /** Opens a folder of sessions, or makes it; or opens one session's file, which need not be there yet. */
  static async open(place: string, options: StoreOptions = {}): Promise<SessionStore> {
    if (place === '')
      refuse(
        'command/invalid',
        'A store of sessions needs a folder or a file, as in jsonl:/path or jsonl:/path/a.jsonl.',
      );
    const path = resolve(place);
    const { holdings, readOnly, notes, damage, known, lists } = openPlace(path, options);
    const keeper = new JsonlKeeper(holdings);
    const book = bookOf(options, { keeper, readOnly });
    const desk = deskOf(book, keeper, options);
    try {
      book.know(known);
      for (const { owner: whose, record, sequence } of lists) book.knowLinear(whose, record, sequence);
      keeper.read(desk);
    } catch (error) {
      keeper.close();
      throw error;
    }
    const plate: Nameplate = {
      supports: { durable: true, processes: false, search: true, crossProcessFeed: false, history: true },
      info: (): StoreInfo => ({
        kind: 'jsonl',
        place: path,
        readOnly,
        schemaVersion: 2,
        // Why nothing can be saved is said first; who only looks has no need of the rest.
        notes: readOnly ? notes : [...notes, 'Search looks through every message.'],
        damage,
      }),
      backup: (to) => backupSessions(holdings, to),
      close: async () => {
        keeper.close();
        if (!holdings.single) tidyFolder(path);
      },
    };
    return new SessionStore({ desk, plate, holdings, keeper }, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): SessionStore {
    return new SessionStore(this.#shared, owner);
  }

  /** Checks trees as every store does, and tells what is wrong with the lines of their files. */
  override async fsck(options: { readonly repair?: boolean; readonly treeId?: TreeId } = {}): Promise<FsckReport> {
    const { desk, holdings, keeper } = this.#shared;
    desk.book.alive();
    if (options.repair === true) desk.book.writable();
    const wanted = this.wanted(options.treeId);
    if (options.treeId !== undefined && wanted.length === 0) return super.fsck(options);
    const repair = options.repair === true;
    const report = await fsckSessions({
      trees: wanted,
      holdings,
      repair,
      check: (treeId) => super.fsck({ ...options, treeId }),
      rewrite: (treeId) => this.#rewrite(treeId),
    });
    return options.treeId === undefined ? withSides(report, keeper.sides(repair), repair) : report;
  }

  /** Writes a session's file anew with the tree as it is shown. Returns the name under which the old file is kept. */
  async #rewrite(treeId: TreeId): Promise<string | null> {
    const { desk, holdings } = this.#shared;
    return desk.book.locks.run(treeId, async () => {
      const { volume, pages } = await desk.book.open(this.owner, treeId);
      await desk.book.mend(volume, pages.tree);
      return holdings.sessions.get(treeId)?.keptAs ?? null;
    });
  }
}

/** Opens a store of session files; what follows the scheme is a folder or a file. */
export async function open(place: string, options: StoreOptions): Promise<SessionStore> {
  return SessionStore.open(place, options);
}
