/** Conversations in and out: which formats there are, imports that go on by themselves, and downloads. */
import { exporting } from './exporting.ts';
import { importing } from './importing.ts';

/** The routes. */
export const transfer = [...importing, ...exporting];
