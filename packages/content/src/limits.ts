/** How large a message may be before parsing refuses it. */
export interface MessageLimits {
  /** The maximum size of the message as JSON text, in UTF-8 bytes. */
  readonly messageBytes: number;
  /**
   * The maximum nesting of the message as JSON. A scalar has depth 0, `[]` and `{}` have depth 1, and the message
   * itself counts.
   */
  readonly jsonDepth: number;
  /** The maximum number of blocks in one message. */
  readonly blocks: number;
}

/** The limits for callers that pass none: 10 MB, 200 levels, 10,000 blocks. */
export const defaultLimits: MessageLimits = { messageBytes: 10 * 1024 * 1024, jsonDepth: 200, blocks: 10_000 };
