/**
 * The types of a move. They are in their own file, because the declarations of a public entry must not import a driver.
 */

/** The progress of moving an owner. */
export interface MoveProgress {
  readonly trees: number;
  readonly copied: number;
}

/** Options for moving an owner. */
export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
}

/** The result of moving an owner. */
export interface MoveReport {
  readonly owner: string;
  readonly from: string | null;
  readonly to: string;
  readonly trees: number;
  /** How long the owner was locked, so that its writes had to wait, in milliseconds. */
  readonly lockedMs: number;
}
