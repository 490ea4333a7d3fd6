/** The command registry that terminal, page, server and library share. */
import { messageKit } from '@coppice/content';
import { actId, type RunContext, readTree, type Store } from '@coppice/core';
import { createCompactor } from '../compaction/compactor.ts';
import type { Compactor } from '../compaction/contract.ts';
import { createEventBus } from '../events.ts';
import { newId } from '../new-id.ts';
import type { Model } from '../providers/index.ts';
import { readBranchModel } from './branch-model.ts';
import { completeCommandLine, type LineCompletions } from './complete.ts';
import type {
  CommandContext,
  CommandDefinition,
  CommandResult,
  CommandScope,
  CommandServices,
  CompactBranchRequest,
  CompactedBranch,
  RawArguments,
} from './contract.ts';
import { treeCopier } from './copy.ts';
import * as members from './members.ts';
import { parseCommand } from './parse.ts';
import { makeUnknownCommandError } from './unknown-command.ts';

/** The built-in commands, sorted by name. */
export const builtInCommands: readonly CommandDefinition[] = Object.values(members).sort((a, b) =>
  a.name < b.name ? -1 : 1,
);

/** The services that commands use, and commands to add. */
export interface CommandsOptions extends CommandServices {
  /** Additional commands; one with the name of a built-in command replaces it. */
  readonly extra?: readonly CommandDefinition[] | undefined;
}

/** A command with its arguments as an object, as a page or a server sends it. */
export interface CommandCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

export interface Commands {
  readonly list: readonly CommandDefinition[];
  find(name: string): CommandDefinition | undefined;
  /** Runs a line such as `/switch 2`, or a call. Rejects with an AppError, in which case nothing changed. */
  run(what: string | CommandCall, context: CommandContext): Promise<CommandResult>;
  /** Suggests completions for the end of a line. Never rejects: after an error it returns none. */
  complete(line: string, context: CommandContext): Promise<LineCompletions>;
}

/** Creates a registry of the built-in commands and those of `extra`. */
export function createCommands(options: CommandsOptions = {}): Commands {
  const byName = new Map<string, CommandDefinition>();
  for (const command of [...builtInCommands, ...(options.extra ?? [])]) byName.set(command.name, command);
  const list = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const events = options.events ?? createEventBus();
  const { models, kit: ownKit } = options;
  // Without the compactor of an engine, summaries are extracted from the messages, and no model is called.
  const compactorOn = (store: Store): Compactor =>
    options.compactor ??
    createCompactor({ store, events, kit: ownKit, ...(models === undefined ? {} : { model: models.model }) });
  const scopeOf = async (context: CommandContext): Promise<CommandScope> => {
    const { store, treeId, actor = store.owner, list: shown = [], signal } = context;
    const row = await store.read(treeId, () => readTree(treeId));
    const { now = Date.now, kit = messageKit } = options;
    const fresh = options.newId ?? (() => newId(now()));
    const active = context.activeNodeId === undefined ? row.activeNodeId : context.activeNodeId;
    return {
      store,
      treeId,
      actor,
      list: shown,
      signal,
      models: options.models,
      events,
      abort: options.abort ?? (async () => false),
      kit,
      now,
      summarize: options.summarize ?? ((request) => compactorOn(request.store).summarizeRange(request)),
      compact: options.compact ?? ((request) => compactBranch(compactorOn(request.store), options.models, request)),
      copies: options.copies ?? treeCopier,
      newAct: () => actId(fresh()),
      running: (act): RunContext => ({ actor, now, newId: fresh, kit, ...(act === undefined ? {} : { actId: act }) }),
      commands: list,
      // A view at the root is before the first message.
      activeNodeId: active === row.rootId ? null : active,
      rootId: row.rootId,
    };
  };
  return {
    list,
    find: (name) => byName.get(name),
    async run(what, context) {
      const { name, given } = typeof what === 'string' ? fromLine(what) : fromCall(what);
      const command = byName.get(name);
      if (command === undefined) throw makeUnknownCommandError(name, list);
      return command.run(await scopeOf(context), given);
    },
    async complete(line, context) {
      try {
        return await completeCommandLine(line, await scopeOf(context));
      } catch {
        // An error must not interrupt typing; it is reported when the line runs.
        return { from: line.length, items: [] };
      }
    },
  };
}

function fromLine(line: string): { readonly name: string; readonly given: RawArguments } {
  const { name, words } = parseCommand(line);
  return { name, given: { words } };
}

function fromCall({ name, args = {} }: CommandCall): { readonly name: string; readonly given: RawArguments } {
  return { name: name.replace(/^\//, '').toLowerCase(), given: { args } };
}

/** Compacts a branch for the context window of the model that it continues with, if that model is configured. */
async function compactBranch(
  compactor: Compactor,
  models: CommandServices['models'],
  request: CompactBranchRequest,
): Promise<CompactedBranch> {
  const { store, treeId, nodeId } = request;
  const chosen = await store.read(treeId, () => readBranchModel(treeId, nodeId));
  return compactor.compact({ ...request, model: chosen === null ? undefined : modelOfContext(models, chosen.model) });
}

/**
 * Returns a configured model. Undefined if the model was removed from the configuration after it was set; the compactor
 * then uses the model that replied last.
 */
function modelOfContext(models: CommandServices['models'], id: string): Model | undefined {
  try {
    return models?.model(id);
  } catch {
    return undefined;
  }
}
