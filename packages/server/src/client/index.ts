/**
 * The types of the API for clients, and nothing that runs: `createClient<paths>()` of openapi-fetch, or any other client
 * that goes by an OpenAPI document, is typed by these.
 */
import type { components } from './paths.ts';

export type { PickedColumn, TopologyColumns } from '../wire/topology-columns.ts';
export type { components, operations, paths } from './paths.ts';

/** The named shapes of the API. */
export type Schemas = components['schemas'];
