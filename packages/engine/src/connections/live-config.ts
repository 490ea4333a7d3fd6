/**
 * Keeps the configuration up to date: reads the file, the environment and the stored settings again when one changes.
 */
import { isAppError, type JsonObject } from '@coppice/core';
import { getNumberMember, getTextMember, isJsonObject } from '@coppice/core/decode';
import { dirname, join, readEnvironment } from '#platform/system';
import type { Config } from '../config/contract.ts';
import { type ConfigSource, configPath, loadConfig } from '../config/load.ts';
import { readFileStamp } from '../locked-file.ts';
import {
  type CheckedConnection,
  type ConnectionInput,
  type ConnectionRules,
  checkConnection,
  connectionId,
  withConnections,
  withReportedModels,
} from './connections.ts';
import { makeKeysError, type SecretRecords } from './contract.ts';
import { createFileSecretRecords } from './file-records.ts';
import {
  checkToolServer,
  type ToolDecision,
  type ToolServerInput,
  toolDecisionsId,
  toolServerId,
  withToolRecords,
} from './tool-records.ts';

/** The models that the user chose on the page. */
export interface ChosenModels {
  /** The model for new chats; null uses the configured one. */
  readonly defaultModel: string | null;
  /** The model for titles and summaries; null uses the configured one. */
  readonly titleModel: string | null;
}

/** The limits that an admin set on the page; null means that only the configuration limits. */
export interface ChosenLimits {
  /** US dollars per day: of all users together, or of one user. */
  readonly dayUsd: number | null;
  /** Requests per minute of each user. */
  readonly requestsPerMinute: number | null;
  readonly uploadBytesPerDay: number | null;
  readonly generations: number | null;
}

/** The current configuration, and methods that change the stored part of it. */
export interface LiveConfig {
  readonly current: Config;
  readonly records: SecretRecords;
  readonly rules: ConnectionRules;
  /** Why the last read failed, as a sentence; the values of the read before stay in use. Null if it succeeded. */
  readonly problem: string | null;
  /** Reads what changed, at most once per `checkMs`. Returns null if the last check is more recent. Never rejects. */
  sync(): Promise<void> | null;
  /** Reads everything again. Never rejects; see `problem`. */
  reload(): Promise<void>;
  /** Calls the listener after each change; returns a function that removes the listener. */
  onChange(listener: (config: Config) => void): () => void;
  /** Validates a connection without storing it. */
  checkConnection(input: ConnectionInput): Promise<CheckedConnection>;
  /** Stores a connection, with the models that its server reported. */
  keepConnection(name: string, checked: CheckedConnection, models: readonly string[]): Promise<void>;
  /** Removes a connection and its key; returns false if the connection does not exist. */
  removeConnection(name: string): Promise<boolean>;
  /** Stores the models of a local server; an empty list removes the server. */
  rememberFound(name: string, models: readonly string[]): Promise<void>;
  /** The stored choices; null for each that was not made. */
  readonly modelChoices: ChosenModels;
  chooseModels(choices: Partial<ChosenModels>): Promise<void>;
  /** The limits that apply to each user without own limits. */
  readonly limitChoices: ChosenLimits;
  chooseLimits(limits: Partial<ChosenLimits>): Promise<void>;
  /** Returns the limits that an admin set for one user. They replace those that apply to every user. */
  limitsOf(person: string): ChosenLimits;
  chooseLimitsOf(person: string, limits: Partial<ChosenLimits>): Promise<void>;
  keepToolServer(input: ToolServerInput): Promise<void>;
  removeToolServer(name: string): Promise<boolean>;
  /** Stores the user's decision about a tool. Tools are named as models call them, `server__tool`. */
  decideTool(tool: string, decision: ToolDecision): Promise<void>;
  decisionOf(tool: string): ToolDecision | null;
}

/** The storage and the rules of a live configuration. */
export interface LiveConfigOptions extends ConfigSource {
  readonly records: SecretRecords;
  readonly rules: ConnectionRules;
  /** Where the models of local servers are stored; if undefined, they are not stored. */
  readonly found?: SecretRecords | undefined;
  /** The interval between two checks for changes, in milliseconds. */
  readonly checkMs?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** Replaces reading the configuration file, for tests and for servers without one. */
  readonly load?: (() => Promise<Config>) | undefined;
}

const modelChoicesId = 'setting/models';
const limitsId = 'setting/limits';
const personLimitsId = 'setting/person-limits';

/** Returns the path of the file with the models of local servers, in the folder of the configuration file. */
export function foundModelsPath(source: ConfigSource = {}): string {
  return join(dirname(configPath(source).path), 'found-models.json');
}

/** Creates the records that store the models of local servers. */
export function createFoundModelRecords(source: ConfigSource = {}): SecretRecords {
  return createFileSecretRecords(foundModelsPath(source));
}

/** The result of the last read: the file without the stored settings, the records, and the configuration of both. */
interface ReadState {
  /** Changes if the file or the records change. */
  readonly seen: string;
  readonly kept: ReadonlyMap<string, JsonObject>;
  readonly base: Config;
  readonly config: Config;
}

/** The state that was read last, and how it is read again. */
interface LiveState extends Pick<LiveConfig, 'sync' | 'reload' | 'onChange'> {
  current(): ReadState;
  problem(): string | null;
  /** Does work that changes a record, then reads everything again. */
  change<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates functions that read the file and the records, and that detect changes of them. */
function createReader(options: LiveConfigOptions) {
  const { records, rules, found } = options;
  const load = options.load ?? (() => loadConfig(options));
  const path = options.load === undefined ? configPath(options).path : null;
  const stamp = async (): Promise<string> => {
    const file = path === null ? '' : await readFileStamp(path);
    const version = await records.version();
    return `${file} | ${version} | ${(await found?.version()) ?? ''}`;
  };
  const read = async (): Promise<ReadState> => {
    const seen = await stamp();
    const base = await load();
    const kept = await records.load();
    const local = (await found?.load()) ?? new Map<string, JsonObject>();
    const merged = withToolRecords(withConnections(base, kept, local, rules), kept, rules);
    const chosen = withChoices(merged, kept.get(modelChoicesId), options);
    return { seen, kept, base, config: withPersonBudgets(withDailyLimit(chosen, limitsIn(kept.get(limitsId))), kept) };
  };
  return { stamp, read };
}

/** Reads the configuration and the records, and again when they change. */
async function openLiveState(options: LiveConfigOptions): Promise<LiveState> {
  const { now = Date.now, checkMs = 1_000 } = options;
  const { stamp, read } = createReader(options);
  const listeners = new Set<(config: Config) => void>();
  let state = await read();
  let problem: string | null = null;
  let checkedAt = now();
  let busy: Promise<void> | null = null;
  const reload = async (): Promise<void> => {
    try {
      state = await read();
      problem = null;
    } catch (error) {
      problem = isAppError(error) ? error.message : 'The configuration could not be read again.';
      return;
    }
    for (const listener of listeners) listener(state.config);
  };
  return {
    current: () => state,
    problem: () => problem,
    reload,
    sync() {
      if (busy !== null) return busy;
      if (now() - checkedAt < checkMs) return null;
      busy = (async () => {
        try {
          if ((await stamp()) !== state.seen) await reload();
        } catch {
          // If the storage is unavailable for a moment, the current configuration stays in use.
        } finally {
          checkedAt = now();
          busy = null;
        }
      })();
      return busy;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async change(work) {
      const result = await work();
      await reload();
      return result;
    },
  };
}

type ConnectionMethods = Pick<LiveConfig, 'checkConnection' | 'keepConnection' | 'removeConnection' | 'rememberFound'>;

function createConnectionMethods(live: LiveState, options: LiveConfigOptions): ConnectionMethods {
  const { records, rules, found, now = Date.now } = options;
  return {
    async checkConnection(input) {
      const kept = (await records.load()).get(connectionId(input.name));
      return checkConnection(input, live.current().base, kept, rules, now());
    },
    keepConnection: (name, { record }, models) =>
      live.change(() => records.put(connectionId(name), withReportedModels(record, models))),
    removeConnection: (name) => live.change(() => records.remove(connectionId(name))),
    async rememberFound(name, models) {
      if (found === undefined) return;
      const before = (await found.load()).get(name);
      if (JSON.stringify(before?.['models'] ?? []) === JSON.stringify(models)) return;
      await live.change(async () => {
        if (models.length === 0) await found.remove(name);
        else await found.put(name, { models: [...models], foundAt: now() });
      });
    },
  };
}

type ChoiceMethods = Pick<LiveConfig, 'chooseModels' | 'chooseLimits' | 'limitsOf' | 'chooseLimitsOf'>;

function createChoiceMethods(live: LiveState, { records }: LiveConfigOptions): ChoiceMethods {
  return {
    chooseModels: (choices) =>
      live.change(async () => {
        const before = (await records.load()).get(modelChoicesId);
        const merged = { defaultModel: null, titleModel: null, ...before, ...choices };
        await records.put(modelChoicesId, merged);
      }),
    chooseLimits: (limits) =>
      live.change(async () => {
        const before = limitsIn((await records.load()).get(limitsId));
        await records.put(limitsId, { ...before, ...limits });
      }),
    limitsOf: (person) => personLimitsIn(live.current().kept, person),
    chooseLimitsOf: (person, limits) =>
      live.change(async () => {
        const kept = await records.load();
        const { [person]: _, ...others } = kept.get(personLimitsId) ?? {};
        const merged = { ...personLimitsIn(kept, person), ...limits };
        const isSet = Object.values(merged).some((limit) => limit !== null);
        await records.put(personLimitsId, isSet ? { ...others, [person]: merged } : others);
      }),
  };
}

type ToolMethods = Pick<LiveConfig, 'keepToolServer' | 'removeToolServer' | 'decideTool' | 'decisionOf'>;

function createToolMethods(live: LiveState, { records, rules, now = Date.now }: LiveConfigOptions): ToolMethods {
  return {
    async keepToolServer(input) {
      const id = toolServerId(input.name);
      const kept = (await records.load()).get(id);
      const record = checkToolServer(input, live.current().base, kept, rules, now());
      await live.change(() => records.put(id, record));
    },
    removeToolServer: (name) => live.change(() => records.remove(toolServerId(name))),
    decideTool: (tool, decision) =>
      live.change(async () => {
        if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool))
          throw makeKeysError('keys/invalid', 'That is not the name of a tool.');
        await records.put(toolDecisionsId, { ...(await records.load()).get(toolDecisionsId), [tool]: decision });
      }),
    decisionOf(tool) {
      const decision = live.current().kept.get(toolDecisionsId)?.[tool];
      return decision === 'ask' || decision === 'allow' || decision === 'never' ? decision : null;
    },
  };
}

/** Reads the configuration and the records. Throws if either cannot be read at the start. */
export async function openLiveConfig(options: LiveConfigOptions): Promise<LiveConfig> {
  const { records, rules } = options;
  const live = await openLiveState(options);
  return {
    get current() {
      return live.current().config;
    },
    records,
    rules,
    get problem() {
      return live.problem();
    },
    sync: live.sync,
    reload: live.reload,
    onChange: live.onChange,
    ...createConnectionMethods(live, options),
    ...createChoiceMethods(live, options),
    ...createToolMethods(live, options),
    get modelChoices() {
      const chosen = live.current().kept.get(modelChoicesId);
      return {
        defaultModel: getTextMember(chosen, 'defaultModel') ?? null,
        titleModel: getTextMember(chosen, 'titleModel') ?? null,
      };
    },
    get limitChoices() {
      return limitsIn(live.current().kept.get(limitsId));
    },
  };
}

/** Returns the configuration with the user's model choices; an environment variable takes precedence. */
function withChoices(
  config: Config,
  chosen: JsonObject | undefined,
  { env = readEnvironment() }: ConfigSource,
): Config {
  const [model, title] = [getTextMember(chosen, 'defaultModel'), getTextMember(chosen, 'titleModel')];
  const launched = env.COPPICE_MODEL?.trim() ?? '';
  return {
    ...config,
    ...(model === undefined || launched !== '' ? {} : { model }),
    ...(title === undefined ? {} : { summaries: { ...config.summaries, model: title } }),
  };
}

function limitsIn(record: JsonObject | undefined): ChosenLimits {
  const limit = (name: keyof ChosenLimits) => getNumberMember(record, name) ?? null;
  return {
    dayUsd: limit('dayUsd'),
    requestsPerMinute: limit('requestsPerMinute'),
    uploadBytesPerDay: limit('uploadBytesPerDay'),
    generations: limit('generations'),
  };
}

function personLimitsIn(kept: ReadonlyMap<string, JsonObject>, person: string): ChosenLimits {
  const people = kept.get(personLimitsId);
  const own = people !== undefined && Object.hasOwn(people, person) ? people[person] : undefined;
  return limitsIn(isJsonObject(own) ? own : undefined);
}

/** Returns the configuration with the daily budgets of single users. */
function withPersonBudgets(config: Config, kept: ReadonlyMap<string, JsonObject>): Config {
  const people = Object.keys(kept.get(personLimitsId) ?? {});
  if (people.length === 0) return config;
  const personDayUsd = new Map<string, number>();
  for (const person of people) {
    const { dayUsd } = personLimitsIn(kept, person);
    if (dayUsd !== null) personDayUsd.set(person, dayUsd);
  }
  return { ...config, budgets: { ...config.budgets, personDayUsd } };
}

/**
 * Returns the configuration with the smaller of both daily budgets: an admin cannot exceed the operator's limit on the
 * page.
 */
function withDailyLimit(config: Config, { dayUsd }: ChosenLimits): Config {
  if (dayUsd === null) return config;
  return { ...config, budgets: { ...config.budgets, dayUsd: Math.min(dayUsd, config.budgets.dayUsd ?? dayUsd) } };
}
