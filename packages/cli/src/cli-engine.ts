/** The engine of the command line: one store, one user, everything that is configured. */
import type { RunContext } from '@coppice/core';
import { createEvents, type Engine, type McpClient, openEngine } from '@coppice/engine';
import { storeCopies } from '@coppice/engine/sessions';
import { sessionFiles } from '@coppice/stores';
import type { CliContext } from './cli-context.ts';
import { hookFailed, openHooks } from './hooks.ts';
import { openTools } from './mcp-tools.ts';
import { sessionTarget } from './session-target.ts';

// How long a finished command waits for the automatic title.
const titleMs = 1_500;

/** What subcommands use to talk to models. */
export interface CliEngine extends Omit<Engine, 'close' | 'forStore'> {
  readonly mcp: McpClient | null;
  /** Resolves when no title is pending. */
  titled(): Promise<void>;
  context(): RunContext;
}

/**
 * Opens the engine; it is closed with the context, interrupting turns and keeping their text. The user's hooks are
 * loaded if failures can be shown to the user.
 */
export async function openCliEngine(at: CliContext, tellOfHooks?: (text: string) => void): Promise<CliEngine> {
  const [config, store, providers] = [await at.config(), await at.store(), await at.providers()];
  const events = createEvents((failure) => tellOfHooks?.(hookFailed(failure)));
  if (tellOfHooks !== undefined) await openHooks(at, events, tellOfHooks);
  const { tools, mcp } = await openTools(at);
  const sessions = await sessionTarget(await at.storeUrl(), at.host.cwd);
  const copies = storeCopies({
    files: sessionFiles,
    actor: at.context().actor,
    folder: sessions?.folder ?? at.host.cwd,
  });
  const engine = openEngine({ store, config, events, providers, tools, copies });
  const titled = async () => engine.titles?.idle();
  at.onClose(async () => {
    // A title is worth a short wait, but not longer.
    await Promise.race([titled(), at.pause(titleMs)]);
    await engine.close();
  });
  return { ...engine, mcp, titled, context: at.context };
}
