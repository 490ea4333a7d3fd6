/** The registry of providers. */
import type { Provider } from './contract.ts';
import * as members from './members.ts';

/** Every provider, by name. */
export const providerDefinitions: readonly Provider[] = Object.values(members);
