/** Watches the session files of other programs, and reports files that are new or have changed. */
import type { ProgramChatFile } from './find-programs.ts';
import { findProgramChatFiles } from './find-programs.ts';
import type { ComputerEnvironment, ProgramChatFolders } from './program-chat-folders.ts';

/** Changed files of one program, with the files that are read together with them. */
export interface ChangedChatFiles {
  readonly place: ProgramChatFolders;
  readonly files: readonly ProgramChatFile[];
}

const stampOf = ({ size, changedAt }: ProgramChatFile) => `${size} ${changedAt}`;

/** Compares the files of programs with their state at the last check. */
export class ProgramChatWatch {
  readonly #paths: ComputerEnvironment;
  readonly #places: readonly ProgramChatFolders[];
  readonly #seen = new Map<string, string>();

  constructor(paths: ComputerEnvironment, places: readonly ProgramChatFolders[]) {
    this.#paths = paths;
    this.#places = places;
  }

  /**
   * Yields new or changed files, one program at a time; at the first check all files. Files count as processed when the
   * caller requests the next program. If the caller stops before, the next check yields them again.
   */
  async *changes(): AsyncGenerator<ChangedChatFiles> {
    for (const place of this.#places) {
      const files = await findProgramChatFiles(place, this.#paths);
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
