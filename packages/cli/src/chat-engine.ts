/** The engine that chats and replies use, with one implementation for this computer and one for a server. */
import type { NodeId, RunContext, Store, TreeId } from '@coppice/core';
import {
  type CommandContext,
  type CommandResult,
  type GenerateOptions,
  type LineCompletions,
  type ModelChoice,
  type ModelProviders,
  requireReadyModel,
  type TurnEnd,
  type TurnEvent,
  type TurnStart,
} from '@coppice/engine';

/** The models that a user can choose from. */
export interface ModelSource {
  list(): readonly Pick<ModelChoice, 'id' | 'label' | 'ready' | 'window' | 'windowKnown'>[];
  /** Reads the lists of models of the configured servers. */
  refresh(signal?: AbortSignal): Promise<void>;
  defaultModel(signal?: AbortSignal): Promise<string>;
  /** Returns the full name of a model. Throws if no model has this name. */
  find(id: string): string;
  /** Throws if a model cannot be called. Called before a reply is stored. */
  requireReady(id: string): { readonly images: boolean };
}

/** A turn in progress. */
export interface EngineTurn {
  readonly actId: string | Promise<string>;
  readonly done: Promise<TurnEnd>;
  events(): AsyncIterable<TurnEvent>;
  abort(): void;
}

/** What to merge into the active branch, and how. */
interface MergeWish {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly mode: 'summary' | 'messages';
  readonly summary?: string | undefined;
  readonly focus?: string | undefined;
  readonly signal: AbortSignal;
}

export interface ChatEngine {
  readonly store: Store;
  readonly models: ModelSource;
  readonly generator: { generate(start: TurnStart, options: GenerateOptions): EngineTurn };
  readonly commands: {
    readonly list: readonly { readonly name: string; readonly summary: string }[];
    run(line: string, context: CommandContext): Promise<CommandResult>;
    complete(line: string, context: CommandContext): Promise<LineCompletions>;
  };
  readonly tools: { list(): readonly { readonly name: string; readonly description: string }[] };
  merge(wish: MergeWish): Promise<{
    readonly nodeId: NodeId;
    readonly added: readonly NodeId[];
    readonly summary: string | null;
  }>;
  /** Resolves when no automatic title is pending. */
  titled(): Promise<void>;
  context(): RunContext;
}

/** Returns the models that this computer's configuration offers. */
export function createLocalModelSource(providers: ModelProviders): ModelSource {
  return {
    list: () => providers.list(),
    refresh: (signal) => providers.refresh(signal),
    defaultModel: (signal) => providers.defaultModel(signal),
    find: (id) => providers.model(id).id,
    requireReady(id) {
      const model = providers.model(id);
      requireReadyModel(model);
      return { images: model.info.capabilities.images && model.provider.supports.images };
    },
  };
}
