/** Lists the built-in providers. */
import type { Provider } from './contract.ts';
import * as members from './members.ts';

/** The built-in providers; one line of `members.ts` each. */
export const providerDefinitions: readonly Provider[] = Object.values(members);
