/** The table of all routes, for the app, the OpenAPI document and the security tests. */
import type { RouteDefinition } from './define.ts';
import * as members from './members.ts';

export const routes: readonly RouteDefinition[] = Object.values(members).flat();
