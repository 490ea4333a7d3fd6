import type { Format } from './contract.ts';
import * as members from './members.ts';

/** Every format of the registry, in order. */
export const formats: readonly Format[] = Object.values(members);

/** Returns the format with this name. */
export function findFormat(name: string): Format | undefined {
  return formats.find((format) => format.name === name);
}
