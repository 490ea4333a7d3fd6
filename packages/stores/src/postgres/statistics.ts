/**
 * Updates the statistics of the server while a database is new. Without statistics, the planner cannot tell an index
 * that finds one node from an index that finds all nodes of its tree. It may cache a plan that reads the whole tree,
 * also for foreign key checks. Autovacuum would update statistics a minute or more later, and only if it is enabled; a
 * first import is finished by then.
 */

const firstCount = 64;
const growth = 8;
/** With this many nodes the plans are correct, and later updates are left to the server. */
const enough = 30_000;

/** Updates the statistics while a database is new, each time its size has multiplied. */
export class StatisticsUpdater {
  readonly #count: () => Promise<void>;
  #known: number;
  #written = 0;
  #counting = false;

  /** Starts with the number of nodes that the server last counted. */
  constructor(known: number, count: () => Promise<void>) {
    this.#known = Math.max(known, 0);
    this.#count = count;
  }

  /** Adds the number of nodes in a commit. */
  wrote(nodes: number): void {
    if (this.#known >= enough) return;
    this.#written += nodes;
    if (this.#counting || this.#written < Math.max(firstCount, this.#known * (growth - 1))) return;
    this.#known += this.#written;
    this.#written = 0;
    this.#counting = true;
    // This is not awaited. Without permission for it, the store works with old statistics.
    this.#count()
      .catch(() => undefined)
      .finally(() => {
        this.#counting = false;
      });
  }
}
