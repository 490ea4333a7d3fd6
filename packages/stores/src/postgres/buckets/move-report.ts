/**
 * The types of a move. They have a separate file, because the declarations of a public entry must not import the
 * driver.
 */

/** How much of an owner is copied so far. */
export interface MoveProgress {
  readonly trees: number;
  readonly copied: number;
}

/** Options of a move: how progress is reported. */
export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
}

/** What a move did: where the owner was and is now, and for how long its writes had to wait. */
export interface MoveReport {
  readonly owner: string;
  readonly from: string | null;
  readonly to: string;
  readonly trees: number;
  /** For how many milliseconds the owner was locked, so that its writes had to wait. */
  readonly lockedMs: number;
}
