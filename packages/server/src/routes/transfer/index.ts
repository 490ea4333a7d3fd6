/** Imports, conversations on this computer, exports, and the list of formats. */
import { exporting } from './exporting.ts';
import { found } from './found.ts';
import { importing } from './importing.ts';

export const transfer = [...importing, ...found, ...exporting];
