/** The engine as the command line uses it: one store, one user, everything that the configuration offers. */
import type { RunContext, Store } from '@coppice/core';
import {
  type Commands,
  type Compactor,
  createCommands,
  createEvents,
  createGenerator,
  createTitles,
  type Generator,
  generatorSettings,
  type McpClient,
  type Providers,
  storeCopies,
  type Tools,
} from '@coppice/engine';
import { sessionFiles } from '@coppice/stores';
import { hookFailed, openHooks } from './hooks.ts';
import { openTools } from './mcp-tools.ts';
import { sessionPlace } from './session-place.ts';
import type { Workplace } from './workplace.ts';

// How long a command that is through waits for the title of what was said.
const titleMs = 1_500;

/** What subcommands that talk to models work with. */
export interface EngineRoom {
  readonly store: Store;
  readonly providers: Providers;
  readonly tools: Tools;
  readonly mcp: McpClient | null;
  readonly generator: Generator;
  readonly compactor: Compactor;
  readonly commands: Commands;
  /** Resolves when no title is on its way. */
  titled(): Promise<void>;
  context(): RunContext;
}

/**
 * Opens the engine; it is closed with the workplace, cutting turns short and keeping what was said. The user's own hooks
 * are loaded where somebody is there to be told of those that fail.
 */
export async function openEngineRoom(at: Workplace, tellOfHooks?: (text: string) => void): Promise<EngineRoom> {
  const [config, store, providers] = [await at.config(), await at.store(), await at.providers()];
  const events = createEvents((failure) => tellOfHooks?.(hookFailed(failure)));
  if (tellOfHooks !== undefined) await openHooks(at, events, tellOfHooks);
  const { tools, mcp } = await openTools(at);
  const settings = generatorSettings(config);
  const generator = createGenerator({ store, providers, tools, events, ...settings });
  const { compactor } = generator;
  at.onClose(() => generator.close());
  const titles = createTitles({ store, events, summarizer: generator.summarizer, model: (id) => providers.model(id) });
  // A title is worth a moment, but nobody waits for a model that has nothing to say.
  at.onClose(() => Promise.race([titles.idle(), at.pause(titleMs)]).then(() => titles.close()));
  const sessions = await sessionPlace(await at.storeUrl(), at.host.cwd);
  const commands = createCommands({
    models: providers,
    copies: storeCopies({ files: sessionFiles, actor: at.context().actor, folder: sessions?.folder ?? at.host.cwd }),
    events,
    abort: (which) => generator.abort(which),
    async summarize({ treeId, above, leaf, focus, signal }) {
      const summary = await compactor.sumUp({ treeId, above, leaf, focus, signal });
      return summary ?? { text: 'Nothing was said there.' };
    },
    compact: ({ treeId, nodeId, focus, actor, actId, signal }) =>
      compactor.compact({ treeId, nodeId, focus, actor, actId, signal }),
  });
  return { store, providers, tools, mcp, generator, compactor, commands, titled: titles.idle, context: at.context };
}
