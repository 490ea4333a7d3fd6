/**
 * Updates the server's statistics while a database is new. Without statistics, the planner cannot distinguish an index
 * that finds one node from one that finds all nodes of a tree. It may cache a plan that reads the whole tree, also for
 * foreign key checks. Autovacuum updates statistics after a minute or more, and only if it is enabled; a first import
 * is finished by then.
 */

const firstCount = 64;
const growth = 8;
/** From this many nodes on the plans are right, and the server updates its statistics alone. */
const enough = 30_000;

/** Updates the statistics while a database is new, each time its size has multiplied. */
export class StatisticsUpdater {
  readonly #count: () => Promise<void>;
  #known: number;
  #written = 0;
  #counting = false;

  /** `known` is the number of nodes when the server last updated its statistics. */
  constructor(known: number, count: () => Promise<void>) {
    this.#known = Math.max(known, 0);
    this.#count = count;
  }

  /** Adds the number of nodes of a commit, and updates the statistics when there are enough new nodes. */
  wrote(nodes: number): void {
    if (this.#known >= enough) return;
    this.#written += nodes;
    if (this.#counting || this.#written < Math.max(firstCount, this.#known * (growth - 1))) return;
    this.#known += this.#written;
    this.#written = 0;
    this.#counting = true;
    // Not awaited, and errors are ignored: without permission the store works with old statistics.
    this.#count()
      .catch(() => undefined)
      .finally(() => {
        this.#counting = false;
      });
  }
}
