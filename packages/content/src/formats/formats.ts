import type { Format } from './contract.ts';
import * as members from './members.ts';

/** Every format that Coppice can read or write, in the order of the documentation. */
export const formats: readonly Format[] = Object.values(members);

/** Returns the format with this name; undefined if it is unknown. */
export function findFormat(name: string): Format | undefined {
  return formats.find((format) => format.name === name);
}
