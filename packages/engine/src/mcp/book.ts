/** Which tools there are, held against what was approved, and put into the registry. */
import type { JsonObject } from '@coppice/core';
import type { McpServerConfig } from '../config/contract.ts';
import { defineTool } from '../tools/define.ts';
import { toolError } from '../tools/errors.ts';
import type { Tools } from '../tools/registry.ts';
import { type McpLimits, type McpToolState, mcpError } from './contract.ts';
import { toolNames } from './names.ts';
import { changesSince, faceHash, type Pin, type PinStore, pinKey, type ToolFace, targetHash } from './pins.ts';
import type { McpServer } from './server.ts';
import { visible, visibleJson } from './visible.ts';
import { wordsOf } from './words.ts';

/** One server's part of the book. */
interface Shelf {
  readonly server: McpServer;
  readonly target: string;
  /** As last listed; null before the first list of this process, when what is pinned stands for it. */
  faces: ReadonlyMap<string, ToolFace> | null;
  /** By the server's own names. */
  entries: ReadonlyMap<string, Entry>;
}

interface Entry {
  readonly name: string | null;
  readonly pin: Pin;
  /** Of the pin, so that a tool that stays as it was stays in the registry. */
  readonly hash: string;
  readonly problem: string | null;
  readonly remove: () => void;
}

/** What a book is made of. */
export interface BookOptions {
  readonly tools: Tools;
  readonly pins: PinStore;
  readonly limits: McpLimits;
  readonly now: () => number;
}

/** Whether calls are asked about: unless a tool says that it only reads, and that it destroys nothing. */
function hasEffects(config: McpServerConfig, { tool, annotations }: ToolFace): boolean {
  if (config.autoApprove.includes(tool)) return false;
  return annotations.readOnlyHint !== true || annotations.destructiveHint === true;
}

/** The tools of all servers. */
export class Book {
  readonly #options: BookOptions;
  readonly #pins = new Map<string, Pin>();
  readonly #shelves = new Map<string, Shelf>();

  constructor(options: BookOptions) {
    this.#options = options;
  }

  /** Reads what was approved before and lists it, so that tools are there before their servers are. */
  async open(servers: readonly McpServer[]): Promise<void> {
    for (const pin of await this.#options.pins.load()) this.#pins.set(pinKey(pin.server, pin.tool), pin);
    for (const server of servers) {
      const { name } = server.config;
      if (!server.config.enabled || this.#shelves.has(name)) continue;
      this.#shelves.set(name, { server, target: targetHash(server.config), faces: null, entries: new Map() });
      this.#publish(name);
    }
  }

  /** Takes in a list: what is new is trusted and remembered, what is another than before is not. */
  async take(server: string, faces: readonly ToolFace[]): Promise<string | null> {
    const shelf = this.#shelves.get(server);
    if (shelf === undefined) return null;
    shelf.faces = new Map(faces.map((face) => [face.tool, face]));
    const fresh = faces.filter((face) => !this.#pins.has(pinKey(server, face.tool)));
    const failed = await this.#pin(shelf, fresh, 'first-use').then(() => null, wordsOf);
    this.#publish(server);
    return failed === null ? null : `What its tools are like could not be remembered: ${failed}`;
  }

  async #pin(shelf: Shelf, faces: readonly ToolFace[], by: Pin['by']): Promise<void> {
    const at = this.#options.now();
    const server = shelf.server.config.name;
    const pins = faces.map((face): Pin => ({ ...face, server, target: shelf.target, by, at }));
    const remember = () => {
      for (const pin of pins) this.#pins.set(pinKey(server, pin.tool), pin);
    };
    // What was seen first is what counts for as long as we live, also where it cannot be written down; an approval that
    // cannot be written down is none.
    if (by === 'first-use') remember();
    await this.#options.pins.put(pins);
    remember();
  }

  /** Approves what changed: one tool by its name, or all of a server's. */
  async approve(name: string, hash: string | undefined): Promise<number> {
    const whole = this.#shelves.get(name);
    if (whole !== undefined) return this.#approveAll(name, whole, [...(whole.faces?.values() ?? [])], hash);
    for (const [server, shelf] of this.#shelves)
      for (const [tool, entry] of shelf.entries) {
        if (entry.name !== name) continue;
        const face = shelf.faces?.get(tool);
        return this.#approveAll(server, shelf, face === undefined ? [] : [face], hash);
      }
    throw mcpError('mcp/unknown-tool', `There is no tool or server ${JSON.stringify(name)}.`, { name });
  }

  async #approveAll(
    server: string,
    shelf: Shelf,
    faces: readonly ToolFace[],
    hash: string | undefined,
  ): Promise<number> {
    const changed = faces.filter((face) => this.#changes(shelf, face).length > 0);
    const other = hash === undefined ? undefined : changed.find((face) => faceHash(shelf.target, face) !== hash);
    if (other !== undefined)
      throw mcpError('mcp/changed-again', `The tool ${other.tool} of ${server} is not what was shown any more.`, {
        server,
        tool: other.tool,
        hash: faceHash(shelf.target, other),
      });
    await this.#pin(shelf, changed, 'operator');
    this.#publish(server);
    return changed.length;
  }

  #changes(shelf: Shelf, face: ToolFace) {
    const pin = this.#pins.get(pinKey(shelf.server.config.name, face.tool));
    return pin === undefined ? [] : changesSince(pin, shelf.target, face);
  }

  /** Puts a server's tools into the registry: those that it lists, or before it did, those that are remembered. */
  #publish(server: string): void {
    const shelf = this.#shelves.get(server);
    if (shelf === undefined) return;
    const known = new Map<string, Pin>();
    for (const pin of this.#pins.values())
      if (pin.server === server && shelf.faces?.has(pin.tool) !== false) known.set(pin.tool, pin);
    const names = toolNames(server, [...known.keys()]);
    const entries = new Map<string, Entry>();
    for (const [tool, entry] of shelf.entries) {
      const pin = known.get(tool);
      const stays = pin !== undefined && entry.hash === faceHash(pin.target, pin) && entry.name === names.get(tool);
      if (stays && entry.problem === null) entries.set(tool, { ...entry, pin });
      else entry.remove();
    }
    for (const [tool, pin] of known)
      if (!entries.has(tool)) entries.set(tool, this.#enter(shelf, pin, names.get(tool)));
    shelf.entries = entries;
  }

  #enter(shelf: Shelf, pin: Pin, name: string | undefined): Entry {
    const { tools, limits } = this.#options;
    const { server } = shelf;
    const { tool } = pin;
    const entry = { pin, hash: faceHash(pin.target, pin), name: name ?? null, remove: () => undefined };
    if (name === undefined) return { ...entry, problem: 'There is no name for it that is not taken.' };
    try {
      const remove = tools.add(
        defineTool({
          name,
          description: visible(pin.description, limits.description),
          parameters: visibleJson(pin.parameters, limits.description),
          sideEffects: hasEffects(server.config, pin),
          timeoutMs: server.config.timeoutMs,
          origin: { type: 'mcp', server: server.config.name, tool },
          run: (parameters: JsonObject, { signal }) => {
            this.#refuseChanged(shelf, tool, name);
            return server.call(tool, parameters, signal);
          },
        }),
      );
      return { ...entry, problem: null, remove };
    } catch (error) {
      return { ...entry, problem: wordsOf(error) };
    }
  }

  #refuseChanged(shelf: Shelf, tool: string, name: string): void {
    const face = shelf.faces?.get(tool);
    const changes = face === undefined ? [] : this.#changes(shelf, face);
    if (changes.length > 0)
      throw toolError(
        'tool/changed',
        `The tool ${name} is not what it was when it was approved (${changes.join(', ')}): the operator has to approve it again.`,
        { name, changes },
      );
  }

  /** The tools of a server as they are now, by name. */
  states(server: string): readonly McpToolState[] {
    const shelf = this.#shelves.get(server);
    if (shelf === undefined) return [];
    const states = [...shelf.entries.values()].map((entry) => this.#state(shelf, entry));
    return states.sort((a, b) => (a.tool < b.tool ? -1 : 1));
  }

  #state(shelf: Shelf, { name, pin, problem }: Entry): McpToolState {
    const { limits } = this.#options;
    const face = shelf.faces?.get(pin.tool);
    const changed = face === undefined ? [] : this.#changes(shelf, face);
    const usable = shelf.server.isReady ? 'ready' : 'unavailable';
    return {
      name,
      server: pin.server,
      tool: pin.tool,
      status: problem !== null ? 'refused' : changed.length > 0 ? 'changed' : usable,
      description: visible(pin.description, limits.description),
      asks: hasEffects(shelf.server.config, pin),
      pinnedAt: pin.at,
      ...(problem === null ? {} : { problem }),
      ...(face === undefined || changed.length === 0
        ? {}
        : {
            offer: {
              changed,
              description: visible(face.description, limits.description),
              parameters: visibleJson(face.parameters, limits.description),
              hash: faceHash(shelf.target, face),
            },
          }),
    };
  }

  /** Takes every tool out of the registry. */
  close(): void {
    for (const shelf of this.#shelves.values()) for (const entry of shelf.entries.values()) entry.remove();
    this.#shelves.clear();
  }
}
