/** The options of the MCP server, apart from the module that loads the SDK: its types are not part of ours. */
import type { RunContext, Store } from '@coppice/core';
import type { Compactor } from '@coppice/engine';

/** Options of the server. */
export interface TreesServerOptions {
  readonly store: Store;
  /** The context for core's `run`, with the caller as actor. */
  readonly context: () => RunContext;
  /** Summarises branches; without it, summarise is refused. */
  readonly compactor?: Compactor | undefined;
  /** Leaves out all tools that change a tree. */
  readonly readOnly: boolean;
  readonly version: string;
}
