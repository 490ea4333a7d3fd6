/** The routes of the server as methods, with types that are generated from the routes. */
import { createCommandMethods } from './commands.ts';
import { createGenerationMethods } from './generations.ts';
import { createHistoryMethods } from './history.ts';
import { createMessageWriteMethods } from './message-writes.ts';
import { createNodeAttributeMethods } from './node-attributes.ts';
import type { Routes } from './request.ts';
import { createServerInfoMethods } from './server-info.ts';
import { createShareMethods } from './shares.ts';
import { createTreeListMethods } from './tree-list.ts';
import { createTreeReadMethods } from './tree-reads.ts';
import { createTreeMethods } from './trees.ts';

/** Creates the methods of the API. Each method returns a promise that rejects with a `HttpProblem`. */
export function createApi(routes: Routes) {
  return {
    ...createTreeListMethods(routes),
    ...createTreeMethods(routes),
    ...createTreeReadMethods(routes),
    ...createMessageWriteMethods(routes),
    ...createNodeAttributeMethods(routes),
    ...createHistoryMethods(routes),
    ...createGenerationMethods(routes),
    ...createShareMethods(routes),
    ...createCommandMethods(routes),
    ...createServerInfoMethods(routes),
  } as const;
}

/** The methods of the API, by name. */
export type Api = ReturnType<typeof createApi>;
