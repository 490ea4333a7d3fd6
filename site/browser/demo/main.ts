/** The page of Coppice. The build replaces its `page-host.ts` with the one in this folder. */
import '@coppice/web/page';
