/** The registry: every member, and the way from a name to one. */
import type { Provider } from './contract.ts';
import * as members from './members.ts';

/** Every provider, by name. */
export const providerDefinitions: readonly Provider[] = Object.values(members);
