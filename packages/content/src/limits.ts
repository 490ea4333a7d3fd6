/** The limits of one message. */
export interface MessageLimits {
  /** UTF-8 bytes of the message as JSON text. */
  readonly messageBytes: number;
  /** Nesting of the message as JSON: a scalar is 0, `[]` and `{}` are 1, the message itself counts. */
  readonly jsonDepth: number;
  /** Blocks in one message. */
  readonly blocks: number;
}

/** The default limits: 10 MB, 200 levels, 10,000 blocks. */
export const defaultLimits: MessageLimits = { messageBytes: 10 * 1024 * 1024, jsonDepth: 200, blocks: 10_000 };
