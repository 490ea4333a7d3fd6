/** Watches the session files of other programs, and reports files that are new or have changed. */
import type { FoundFile } from './find-programs.ts';
import { findProgramFiles } from './find-programs.ts';
import type { ComputerPaths, ProgramFolders } from './program-folders.ts';

/** Changed files of one program, with the files that are read together with them. */
export interface ChangedFiles {
  readonly place: ProgramFolders;
  readonly files: readonly FoundFile[];
}

const stampOf = ({ size, changedAt }: FoundFile) => `${size} ${changedAt}`;

/** Compares the files of programs with their state at the last check. */
export class ProgramWatch {
  readonly #paths: ComputerPaths;
  readonly #places: readonly ProgramFolders[];
  readonly #seen = new Map<string, string>();

  constructor(paths: ComputerPaths, places: readonly ProgramFolders[]) {
    this.#paths = paths;
    this.#places = places;
  }

  /**
   * Yields new or changed files, one program at a time; at the first check all files. Files count as processed when the
   * caller requests the next program. If the caller stops before, the next check yields them again.
   */
  async *changes(): AsyncGenerator<ChangedFiles> {
    for (const place of this.#places) {
      const files = await findProgramFiles(place, this.#paths);
      const changed = new Set(
        files.filter((file) => this.#seen.get(file.path) !== stampOf(file)).map(({ group }) => group),
      );
      if (changed.size === 0) continue;
      const again = files.filter(({ group }) => changed.has(group));
      yield { place, files: again };
      for (const file of again) this.#seen.set(file.path, stampOf(file));
    }
  }
}
