import type { Format } from './contract.ts';
import * as members from './members.ts';

/** Every format of the registry, in the order of its list. */
export const formats: readonly Format[] = Object.values(members);

/** The format of a name. */
export function formatNamed(name: string): Format | undefined {
  return formats.find((format) => format.name === name);
}
