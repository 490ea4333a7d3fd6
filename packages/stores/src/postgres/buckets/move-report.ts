/** The types of a move, apart from the code that needs a driver: the declarations of a public entry must not. */

/** The progress of a move. */
export interface MoveProgress {
  readonly trees: number;
  readonly copied: number;
}

/** Options of a move. */
export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
}

/** What a move did. */
export interface MoveReport {
  readonly owner: string;
  readonly from: string | null;
  readonly to: string;
  readonly trees: number;
  /** How long writes of the owner had to wait, in milliseconds. */
  readonly lockedMs: number;
}
