/**
 * The options of the MCP server. They are in their own module, because the server's module loads the SDK, whose types
 * must not become part of ours.
 */
import type { RunContext, Store } from '@coppice/core';
import type { Compactor } from '@coppice/engine';

/** The options of the MCP server, which serves the trees of one store. */
export interface TreesServerOptions {
  readonly store: Store;
  /** The context for core's `run`, with the caller as actor. */
  readonly context: () => RunContext;
  /** Summarises branches. Without it the tool for summaries refuses calls. */
  readonly compactor?: Compactor | undefined;
  /** Whether all tools that change a tree are left out. */
  readonly readOnly: boolean;
  readonly version: string;
}
