/** The table of all routes, which the app, the OpenAPI document and the security tests use. */
import type { RouteDefinition } from './define.ts';
import * as members from './members.ts';

export const routes: readonly RouteDefinition[] = Object.values(members).flat();
