/** Starts the page of Coppice as the demo. The build replaces its `page-host.ts` with the one in this folder. */
import '@coppice/web/page';
