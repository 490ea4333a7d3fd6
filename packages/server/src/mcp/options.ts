/**
 * The options of the MCP server. They have their own module, because the module of the server loads the SDK, and the
 * types of the SDK must not become part of our public types.
 */
import type { RunContext, Store } from '@coppice/core';
import type { Compactor } from '@coppice/engine';

/** The options of the MCP server, which serves the trees of one store. */
export interface TreesMcpServerOptions {
  readonly store: Store;
  /** Returns the context of a core command, with the caller as actor. */
  readonly context: () => RunContext;
  /** Writes summaries of branches. Without it, the tool that merges with a summary refuses calls. */
  readonly compactor?: Compactor | undefined;
  /** Whether to leave out all tools that change a tree. */
  readonly readOnly: boolean;
  readonly version: string;
}
