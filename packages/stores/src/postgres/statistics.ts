/**
 * Triggers statistics while a database is new. Without statistics the planner cannot tell an index that finds a node
 * from one that finds all nodes of its tree, and may cache a plan that reads the whole tree, also for foreign key
 * checks. Autovacuum would count a minute or more later and only if it is enabled; a first import is over by then.
 */

const firstCount = 64;
const growth = 8;
/** With this many nodes the plans are right, and further statistics are left to the server. */
const enough = 30_000;

/** Updates statistics while a database is new, each time it has grown several times over. */
export class StatisticsUpdater {
  readonly #count: () => Promise<void>;
  #known: number;
  #written = 0;
  #counting = false;

  /** Starts with the server's last known number of nodes. */
  constructor(known: number, count: () => Promise<void>) {
    this.#known = Math.max(known, 0);
    this.#count = count;
  }

  /** Counts the nodes that a commit added. */
  wrote(nodes: number): void {
    if (this.#known >= enough) return;
    this.#written += nodes;
    if (this.#counting || this.#written < Math.max(firstCount, this.#known * (growth - 1))) return;
    this.#known += this.#written;
    this.#written = 0;
    this.#counting = true;
    // Not awaited; without the permission the store works without it.
    this.#count()
      .catch(() => undefined)
      .finally(() => {
        this.#counting = false;
      });
  }
}
