import type { ServiceOptions } from '../service.ts';
import type { ProvenanceLedgerOptions } from './provenance.ts';

/** Options of a forest. */
export interface ForestOptions extends ServiceOptions {
  /**
   * The project in which roots are found, created and listed. By default they are created in the default project and
   * listed from all.
   */
  readonly project?: string | undefined;
  /** The source that is recorded for a reused prefix; by default the actor. */
  readonly source?: string | undefined;
  readonly provenance?: ProvenanceLedgerOptions | undefined;
}

/** Filter for roots. */
export interface RootQuery {
  /** Only roots that `Forest.getOrCreateRoot` created, or only the others. */
  readonly forest?: boolean | undefined;
}
