/**
 * The types of a move. They have a separate file, because the declarations of a public entry must not import the
 * driver.
 */

/** How many trees of a moved owner are copied so far. */
export interface OwnerMoveProgress {
  readonly trees: number;
  readonly copied: number;
}

/** Options for moving an owner. */
export interface OwnerMoveOptions {
  readonly onProgress?: (progress: OwnerMoveProgress) => void;
}

/** The result of moving an owner: where the owner was and is now, and for how long its writes had to wait. */
export interface OwnerMoveReport {
  readonly owner: string;
  readonly from: string | null;
  readonly to: string;
  readonly trees: number;
  /** For how many milliseconds the owner was locked, so that its writes had to wait. */
  readonly lockedMs: number;
}

/** The progress of moving a bucket: the tables that are copied completely. */
export interface BucketMoveProgress {
  readonly copiedTables: number;
  readonly tables: number;
}

/** Options for moving a bucket. */
export interface BucketMoveOptions {
  /**
   * The connection from the new database server to the old one, as a URL or keywords of libpq. Defaults to the address,
   * user and password with which this process connects.
   */
  readonly sourceUrl?: string;
  readonly onProgress?: (progress: BucketMoveProgress) => void;
}

/** The result of moving a bucket. */
export interface BucketMoveReport {
  readonly bucket: string;
  /** The old and the new database, without user and password. */
  readonly from: string;
  readonly to: string;
  /** How long the owners of the bucket had to wait, in milliseconds. */
  readonly lockedMs: number;
  /** Whether the rows of the old database are deleted. They stay if a long transaction still reads them. */
  readonly isCleared: boolean;
}
