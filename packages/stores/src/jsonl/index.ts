/** Sessions in files of JSON lines that other tools can read, one file each, only ever added to. */
import { resolve } from 'node:path';
import { type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { checkSideFiles } from '../disk/side-check.ts';
import { tidyFolder } from '../disk/transient-names.ts';
import {
  InProcessStore,
  type StoreIdentity,
  type StoreParts,
  storePartsOf,
  treeStateOf,
} from '../in-process/in-process-store.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backupSessions } from './backup.ts';
import { fsckSessions } from './fsck.ts';
import { JsonlPersistence, type SessionsOpenState } from './jsonl-persistence.ts';
import { openSessions } from './opening.ts';

/** What the handles of one open place share. */
interface SharedSessions {
  readonly parts: StoreParts;
  readonly plate: StoreIdentity;
  readonly holdings: SessionsOpenState;
  readonly persistence: JsonlPersistence;
}

/**
 * A store of session files: a folder of them, or one file. One process writes to a file at a time; another one reads it
 * and is told who writes. What other tools add to a file meanwhile is read before anything is written.
 */
export class SessionStore extends InProcessStore {
  readonly #shared: SharedSessions;

  private constructor(shared: SharedSessions, owner: string) {
    super(shared.parts, shared.plate, owner);
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
    const { holdings, readOnly, notes, damage, known, lists } = openSessions(path, options);
    const persistence = new JsonlPersistence(holdings);
    const state = treeStateOf(options, { persistence, readOnly });
    const parts = storePartsOf(state, persistence, options);
    try {
      state.know(known);
      for (const { owner: whose, record, sequence } of lists) state.knowLinear(whose, record, sequence);
      persistence.read(parts);
    } catch (error) {
      persistence.close();
      throw error;
    }
    const plate: StoreIdentity = {
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
        persistence.close();
        if (!holdings.single) tidyFolder(path);
      },
    };
    return new SessionStore({ parts, plate, holdings, persistence }, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): SessionStore {
    return new SessionStore(this.#shared, owner);
  }

  /** Checks trees as every store does, and tells what is wrong with the lines of their files. */
  override async fsck(options: { readonly repair?: boolean; readonly treeId?: TreeId } = {}): Promise<FsckReport> {
    const { parts, holdings, persistence } = this.#shared;
    parts.state.alive();
    if (options.repair === true) parts.state.writable();
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
    return options.treeId === undefined ? checkSideFiles(report, persistence.sides(repair), repair) : report;
  }

  /** Writes a session's file anew with the tree as it is shown. Returns the name under which the old file is kept. */
  async #rewrite(treeId: TreeId): Promise<string | null> {
    const { parts, holdings } = this.#shared;
    return parts.state.locks.run(treeId, async () => {
      const { volume, pages } = await parts.state.open(this.owner, treeId);
      await parts.state.mend(volume, pages.tree);
      return holdings.sessions.get(treeId)?.keptAs ?? null;
    });
  }
}

/** Opens a store of session files; what follows the scheme is a folder or a file. */
export async function open(place: string, options: StoreOptions): Promise<SessionStore> {
  return SessionStore.open(place, options);
}
