// npm run site: builds the site into site/dist. With --serve it also serves the result on this computer.
import { join } from 'node:path';
import { buildSite } from './build.ts';
import { serveSite } from './serve.ts';

const into = join(import.meta.dirname, 'dist');
const { pages } = await buildSite(into);
process.stdout.write(`${pages.length} pages in site/dist.\n`);
if (process.argv.includes('--serve')) process.stdout.write(`${(await serveSite(into, 4_780)).url}\n`);
