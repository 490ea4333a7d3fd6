/** The table of all routes: what the app runs, the document describes and the tests of security go through. */
import type { Route } from './define.ts';
import * as members from './members.ts';

/** Every route there is. */
export const routes: readonly Route[] = Object.values(members).flat();
