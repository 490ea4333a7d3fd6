/** Imports, conversations on this computer, exports, and the list of formats. */
import { exportRoutes } from './exporting.ts';
import { foundProgramRoutes } from './found.ts';
import { importRoutes } from './importing.ts';

export const transferRoutes = [...importRoutes, ...foundProgramRoutes, ...exportRoutes];
