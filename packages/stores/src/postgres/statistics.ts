/**
 * What the server knows of how full its tables are. A new database knows nothing: then an index that finds a node and
 * one that finds all nodes of its tree look alike to its planner, and a plan that reads the whole tree may be made and
 * kept, also for the checks of foreign keys. The server counts by itself in the end, a minute or more later and only
 * where that is switched on; a first import is over by then.
 */

const firstCount = 64;
const growth = 8;
/** With this many nodes the plans are right, and counting again is the server's own affair. */
const enough = 30_000;

/** Has the server count its rows while a database is new, each time that it has grown several times over. */
export class Statistics {
  readonly #count: () => Promise<void>;
  #known: number;
  #written = 0;
  #counting = false;

  /** Begins with the number of nodes that the server knew of last. */
  constructor(known: number, count: () => Promise<void>) {
    this.#known = Math.max(known, 0);
    this.#count = count;
  }

  /** Takes in how many nodes a commit added. */
  wrote(nodes: number): void {
    if (this.#known >= enough) return;
    this.#written += nodes;
    if (this.#counting || this.#written < Math.max(firstCount, this.#known * (growth - 1))) return;
    this.#known += this.#written;
    this.#written = 0;
    this.#counting = true;
    // Nobody waits for it, and who may not have it done goes on without.
    this.#count()
      .catch(() => undefined)
      .finally(() => {
        this.#counting = false;
      });
  }
}
