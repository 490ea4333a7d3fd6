/** The table of all routes: what the app runs, the document describes and the tests of security go through. */
import type { RouteDefinition } from './define.ts';
import * as members from './members.ts';

/** Every route there is. */
export const routes: readonly RouteDefinition[] = Object.values(members).flat();
