import type { ServiceOptions } from '../service.ts';
import type { LedgerOptions } from './provenance.ts';

/** How a forest is opened. */
export interface ForestOptions extends ServiceOptions {
  /** Where roots are found, made and listed. If not given, they are made in the default project and listed from all. */
  readonly project?: string | undefined;
  /** What stands as the source of a reused prefix; the actor if not given. */
  readonly source?: string | undefined;
  readonly provenance?: LedgerOptions | undefined;
}

/** Which roots are wanted. */
export interface RootQuery {
  /** Only those that `Forest.getOrCreateRoot` made, or only the others. */
  readonly forest?: boolean | undefined;
}
