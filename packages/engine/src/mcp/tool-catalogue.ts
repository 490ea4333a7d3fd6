/** Compares the tools of all MCP servers with their pins, and adds them to the registry. */
import type { JsonObject } from '@coppice/core';
import type { McpServerConfig } from '../config/contract.ts';
import { defineTool } from '../tools/define.ts';
import { makeToolError } from '../tools/errors.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { type McpLimits, type McpToolState, makeMcpError } from './contract.ts';
import { errorText } from './error-text.ts';
import { escapeInvisibleCharacters, escapeInvisibleInJson } from './escape-invisible-characters.ts';
import {
  type ApprovedTool,
  findToolChanges,
  hashServerTarget,
  hashToolDefinition,
  makeToolPinKey,
  type ToolDefinition,
  type ToolPinStore,
} from './pins.ts';
import type { McpServer } from './server.ts';
import { assignToolNames } from './tool-names.ts';

/** A server with its listed tools and their approval state. */
interface ServerEntry {
  readonly server: McpServer;
  readonly target: string;
  /** The tools of the newest list; null until the server has sent one, when the pinned tools are used instead. */
  definitions: ReadonlyMap<string, ToolDefinition> | null;
  /** By the names that the server uses. */
  entries: ReadonlyMap<string, ToolEntry>;
}

interface ToolEntry {
  readonly name: string | null;
  readonly pin: ApprovedTool;
  /** The hash of the pin; if it is unchanged, the tool is not registered again. */
  readonly hash: string;
  readonly problem: string | null;
  readonly remove: () => void;
}

/** The registry, the pin storage and the limits of a catalogue. */
export interface ToolCatalogueOptions {
  readonly tools: ToolRegistry;
  readonly pins: ToolPinStore;
  readonly limits: McpLimits;
  readonly now: () => number;
}

/**
 * Returns whether calls need approval: always, unless the operator lists the tool. What the server declares is not
 * trusted.
 */
function hasEffects(config: McpServerConfig, { tool }: ToolDefinition): boolean {
  return !config.autoApprove.includes(tool);
}

export class ToolCatalogue {
  readonly #options: ToolCatalogueOptions;
  readonly #pins = new Map<string, ApprovedTool>();
  readonly #servers = new Map<string, ServerEntry>();

  constructor(options: ToolCatalogueOptions) {
    this.#options = options;
  }

  /** Reads the pins and registers their tools, so that models can see them before the servers are connected. */
  async open(servers: readonly McpServer[]): Promise<void> {
    for (const pin of await this.#options.pins.load()) this.#pins.set(makeToolPinKey(pin.server, pin.tool), pin);
    for (const server of servers) {
      const { name } = server.config;
      if (!server.config.enabled || this.#servers.has(name)) continue;
      this.#servers.set(name, {
        server,
        target: hashServerTarget(server.config),
        definitions: null,
        entries: new Map(),
      });
      this.#publish(name);
    }
  }

  /**
   * Takes a server's new list of tools: new tools are trusted and pinned, changed tools wait for approval. Returns a
   * problem, or null.
   */
  async take(server: string, definitions: readonly ToolDefinition[]): Promise<string | null> {
    const serverEntry = this.#servers.get(server);
    if (serverEntry === undefined) return null;
    serverEntry.definitions = new Map(definitions.map((definition) => [definition.tool, definition]));
    const fresh = definitions.filter((definition) => !this.#pins.has(makeToolPinKey(server, definition.tool)));
    const failed = await this.#pin(serverEntry, fresh, 'first-use').then(() => null, errorText);
    this.#publish(server);
    return failed === null ? null : `What its tools are like could not be remembered: ${failed}`;
  }

  async #pin(serverEntry: ServerEntry, definitions: readonly ToolDefinition[], by: ApprovedTool['by']): Promise<void> {
    const at = this.#options.now();
    const server = serverEntry.server.config.name;
    const pins = definitions.map(
      (definition): ApprovedTool => ({ ...definition, server, target: serverEntry.target, by, at }),
    );
    const remember = () => {
      for (const pin of pins) this.#pins.set(makeToolPinKey(server, pin.tool), pin);
    };
    // A new tool is trusted by this process even if its pin cannot be stored. An approval that cannot be stored has no
    // effect.
    if (by === 'first-use') remember();
    await this.#options.pins.put(pins);
    remember();
  }

  /** Approves changes of one tool, or of all tools of a server. Returns the number of approved tools. */
  async approve(name: string, hash: string | undefined): Promise<number> {
    const whole = this.#servers.get(name);
    if (whole !== undefined) return this.#approveAll(name, whole, [...(whole.definitions?.values() ?? [])], hash);
    for (const [server, serverEntry] of this.#servers)
      for (const [tool, entry] of serverEntry.entries) {
        if (entry.name !== name) continue;
        const definition = serverEntry.definitions?.get(tool);
        return this.#approveAll(server, serverEntry, definition === undefined ? [] : [definition], hash);
      }
    throw makeMcpError('mcp/unknown-tool', `There is no tool or server ${JSON.stringify(name)}.`, { name });
  }

  async #approveAll(
    server: string,
    serverEntry: ServerEntry,
    definitions: readonly ToolDefinition[],
    hash: string | undefined,
  ): Promise<number> {
    const changed = definitions.filter((definition) => this.#changes(serverEntry, definition).length > 0);
    const other =
      hash === undefined
        ? undefined
        : changed.find((definition) => hashToolDefinition(serverEntry.target, definition) !== hash);
    if (other !== undefined)
      throw makeMcpError(
        'mcp/changed-again',
        `The tool ${other.tool} of ${server} has changed since it was shown. Review it again.`,
        {
          server,
          tool: other.tool,
          hash: hashToolDefinition(serverEntry.target, other),
        },
      );
    await this.#pin(serverEntry, changed, 'operator');
    this.#publish(server);
    return changed.length;
  }

  #changes(serverEntry: ServerEntry, definition: ToolDefinition) {
    const pin = this.#pins.get(makeToolPinKey(serverEntry.server.config.name, definition.tool));
    return pin === undefined ? [] : findToolChanges(pin, serverEntry.target, definition);
  }

  /** Registers a server's tools: those of its list, or before the first list the pinned ones. */
  #publish(server: string): void {
    const serverEntry = this.#servers.get(server);
    if (serverEntry === undefined) return;
    const known = new Map<string, ApprovedTool>();
    for (const pin of this.#pins.values())
      if (pin.server === server && serverEntry.definitions?.has(pin.tool) !== false) known.set(pin.tool, pin);
    const names = assignToolNames(server, [...known.keys()]);
    const entries = new Map<string, ToolEntry>();
    for (const [tool, entry] of serverEntry.entries) {
      const pin = known.get(tool);
      const stays =
        pin !== undefined && entry.hash === hashToolDefinition(pin.target, pin) && entry.name === names.get(tool);
      if (stays && entry.problem === null) entries.set(tool, { ...entry, pin });
      else entry.remove();
    }
    for (const [tool, pin] of known)
      if (!entries.has(tool)) entries.set(tool, this.#register(serverEntry, pin, names.get(tool)));
    serverEntry.entries = entries;
  }

  #register(serverEntry: ServerEntry, pin: ApprovedTool, name: string | undefined): ToolEntry {
    const { tools, limits } = this.#options;
    const { server } = serverEntry;
    const { tool } = pin;
    const entry = { pin, hash: hashToolDefinition(pin.target, pin), name: name ?? null, remove: () => undefined };
    if (name === undefined) return { ...entry, problem: 'There is no name for it that is not taken.' };
    try {
      const remove = tools.add(
        defineTool({
          name,
          description: escapeInvisibleCharacters(pin.description, limits.description),
          parameters: escapeInvisibleInJson(pin.parameters, limits.description),
          sideEffects: hasEffects(server.config, pin),
          timeoutMs: server.config.timeoutMs,
          origin: { type: 'mcp', server: server.config.name, tool },
          run: (parameters: JsonObject, { signal }) => {
            this.#refuseChanged(serverEntry, tool, name);
            return server.call(tool, parameters, signal);
          },
        }),
      );
      return { ...entry, problem: null, remove };
    } catch (error) {
      return { ...entry, problem: errorText(error) };
    }
  }

  #refuseChanged(serverEntry: ServerEntry, tool: string, name: string): void {
    const definition = serverEntry.definitions?.get(tool);
    const changes = definition === undefined ? [] : this.#changes(serverEntry, definition);
    if (changes.length > 0)
      throw makeToolError(
        'tool/changed',
        `The tool ${name} has changed since it was approved (${changes.join(', ')}): the operator must approve it again.`,
        { name, changes },
      );
  }

  /** Returns the state of each tool of a server, sorted by name. */
  states(server: string): readonly McpToolState[] {
    const serverEntry = this.#servers.get(server);
    if (serverEntry === undefined) return [];
    const states = [...serverEntry.entries.values()].map((entry) => this.#state(serverEntry, entry));
    return states.sort((a, b) => (a.tool < b.tool ? -1 : 1));
  }

  #state(serverEntry: ServerEntry, { name, pin, problem }: ToolEntry): McpToolState {
    const { limits } = this.#options;
    const definition = serverEntry.definitions?.get(pin.tool);
    const changed = definition === undefined ? [] : this.#changes(serverEntry, definition);
    const usable = serverEntry.server.isReady ? 'ready' : 'unavailable';
    return {
      name,
      server: pin.server,
      tool: pin.tool,
      status: problem !== null ? 'refused' : changed.length > 0 ? 'changed' : usable,
      description: escapeInvisibleCharacters(pin.description, limits.description),
      asks: hasEffects(serverEntry.server.config, pin),
      pinnedAt: pin.at,
      ...(problem === null ? {} : { problem }),
      ...(definition === undefined || changed.length === 0
        ? {}
        : {
            offer: {
              changed,
              description: escapeInvisibleCharacters(definition.description, limits.description),
              parameters: escapeInvisibleInJson(definition.parameters, limits.description),
              hash: hashToolDefinition(serverEntry.target, definition),
            },
          }),
    };
  }

  drop(server: string): void {
    for (const entry of this.#servers.get(server)?.entries.values() ?? []) entry.remove();
    this.#servers.delete(server);
  }

  close(): void {
    for (const serverEntry of this.#servers.values()) for (const entry of serverEntry.entries.values()) entry.remove();
    this.#servers.clear();
  }
}
