/** The engine of the command line, for one store and one user, with all configured providers and tools. */
import { createEventBus, type Engine, type McpClient, openEngine, openTools } from '@coppice/engine';
import { createTreeCopier } from '@coppice/engine/sessions';
import { type ChatEngine, createLocalModelSource } from './chat-engine.ts';
import type { CliContext } from './cli-context.ts';
import { describeHookFailure, loadUserHooks } from './hooks.ts';
import { findSessionTarget } from './session-target.ts';

// How long a finished command waits for the automatic title.
const titleMs = 1_500;

/** The engine of this computer, with the parts that chats use. */
export interface CliEngine
  extends Omit<Engine, 'close' | 'forStore'>,
    Omit<ChatEngine, 'commands' | 'tools' | 'generator'> {
  readonly mcp: McpClient | null;
}

/** Opens the engine for chats and replies: of the server that the option names, otherwise of this computer. */
export async function openChatEngine(at: CliContext, tellOfHooks?: (text: string) => void): Promise<ChatEngine> {
  const client = await at.server();
  if (client === null) return openCliEngine(at, tellOfHooks);
  const { openRemoteEngine } = await import('./remote/remote-engine.ts');
  return openRemoteEngine(client, await at.store(), at.context);
}

/**
 * Opens the engine. Closing the context closes it, which interrupts running turns and keeps their text. The user's
 * hooks are loaded only if their failures can be shown.
 */
export async function openCliEngine(at: CliContext, tellOfHooks?: (text: string) => void): Promise<CliEngine> {
  const [config, store, providers] = [await at.config(), await at.store(), await at.providers()];
  const events = createEventBus((failure) => tellOfHooks?.(describeHookFailure(failure)));
  if (tellOfHooks !== undefined) await loadUserHooks(at, events, tellOfHooks);
  const { env, home } = at.host;
  const opened = openTools({ live: await at.live(), env, home });
  const { tools, mcp } = opened;
  at.onClose(opened.close);
  await opened.start();
  const sessions = await findSessionTarget(await at.storeUrl(), at.host.cwd);
  const copies = createTreeCopier({
    // Loaded when it is needed, because most chats write no session file.
    files: async () => (await import('@coppice/stores')).sessionFiles,
    actor: at.context().actor,
    folder: sessions?.folder ?? at.host.cwd,
  });
  const engine = openEngine({ store, config, events, providers, tools, copies });
  const titled = async () => engine.titles?.idle();
  at.onClose(async () => {
    // The command waits for the title, but only for a short time.
    await Promise.race([titled(), at.pause(titleMs)]);
    await engine.close();
  });
  const merge: ChatEngine['merge'] = (wish) => engine.compactor.merge(wish);
  return { ...engine, mcp, models: createLocalModelSource(providers), merge, titled, context: at.context };
}
