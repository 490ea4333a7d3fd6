/** The configuration with the keys and URLs that a user enters, for programs that need nothing else of the engine. */
export * from '../connections/index.ts';
export { defaultGenerateLimits, type GenerateLimits } from '../generate/limits.ts';
export type * from './contract.ts';
export { type ConfigValue, findConfigValue, parseConfigValue, setConfigValue } from './edit.ts';
export {
  type ConfigSource,
  configPath,
  type EnvironmentVariables,
  findConfigProblems,
  loadConfig,
  parseConfig,
} from './load.ts';
export { findLineOfKey } from './toml.ts';
