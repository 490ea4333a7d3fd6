import type { ServiceOptions } from '../service.ts';
import type { ProvenanceLedgerOptions } from './provenance.ts';

export interface ForestOptions extends ServiceOptions {
  /**
   * The project in which roots are found, created and listed. If undefined, roots are created in the default project
   * and listed from all projects.
   */
  readonly project?: string | undefined;
  /** The source that is recorded for a reused prefix; by default the actor. */
  readonly source?: string | undefined;
  readonly provenance?: ProvenanceLedgerOptions | undefined;
}

/** A filter for {@link Forest.listRoots}. */
export interface RootQuery {
  /** True selects the roots that `Forest.getOrCreateRoot` created, false the others. */
  readonly forest?: boolean | undefined;
}
