/** A store of sessions in append-only files of JSON lines, one file per session. Other tools can read the files. */
import { resolve } from 'node:path';
import { type FsckOptions, type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { DiskStore, openDiskStore } from '../disk/disk-store.ts';
import type { SideFiles } from '../disk/side-files.ts';
import { registerNativeHash } from '../native-hash.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backUpSessions } from './backup.ts';
import { fsckSessions } from './fsck.ts';
import { JsonlPersistence } from './jsonl-persistence.ts';
import { openSessions } from './opening.ts';

/**
 * A store of session files: a folder of files, or one file. One process at a time writes to a file; other processes
 * read it, and a note names the writer. Lines that other tools append are read before the next write.
 */
export class SessionStore extends DiskStore<JsonlPersistence> {
  /** Opens or creates a folder of sessions, or opens one session's file, which may not exist yet. */
  static async open(place: string, options: StoreOptions = {}): Promise<SessionStore> {
    if (place === '')
      refuse(
        'command/invalid',
        'A store of sessions needs a folder or a file, as in jsonl:/path or jsonl:/path/a.jsonl.',
      );
    const path = resolve(place);
    const { holdings, readOnly, notes, damage, known } = openSessions(path, options);
    const persistence = new JsonlPersistence(holdings);
    const opened = await openDiskStore(options, {
      persistence,
      readOnly,
      crossProcessFeed: !holdings.single,
      known,
      folder: holdings.single ? null : path,
      read: (parts) => persistence.readSides(parts),
      info: (): StoreInfo => ({
        kind: 'jsonl',
        place: path,
        readOnly,
        schemaVersion: 2,
        // If nothing can be written, the note about search is left out, so that only the reasons are shown.
        notes: readOnly ? notes : [...notes, 'Search scans every message.'],
        damage,
      }),
      backup: (to) => backUpSessions(holdings, to),
    });
    return new SessionStore(opened, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): SessionStore {
    return new SessionStore(this.opened, owner);
  }

  /** Checks the lines of the files. With `repair`, files with lost or altered lines are rewritten. */
  protected checkFiles(
    trees: readonly TreeId[],
    repair: boolean,
    onProgress: FsckOptions['onProgress'],
  ): Promise<FsckReport> {
    const { sessions, broken } = this.opened.persistence.holdings;
    return fsckSessions({
      trees,
      sessions,
      broken,
      repair,
      onProgress,
      check: (treeId) => this.checkTree(treeId, repair),
      rewrite: (treeId) => this.#rewrite(treeId),
    });
  }

  protected sides(write: boolean): Iterable<SideFiles> {
    return this.opened.persistence.sides(write);
  }

  /** Rewrites the file of a session from its tree. Returns the name of the old file; null if there was no file. */
  async #rewrite(treeId: TreeId): Promise<string | null> {
    const { parts, persistence } = this.opened;
    return parts.state.locks.run(treeId, async () => {
      const { slot, loadedSlot } = await parts.state.open(this.owner, treeId);
      await parts.state.repair(slot, loadedSlot.tree);
      return persistence.holdings.sessions.get(treeId)?.keptAs ?? null;
    });
  }
}

/** Opens a store of session files; `place` is a folder or a file. */
export async function open(place: string, options: StoreOptions): Promise<SessionStore> {
  registerNativeHash();
  return SessionStore.open(place, options);
}
