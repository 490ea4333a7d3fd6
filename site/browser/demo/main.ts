/** The page of Coppice itself; the build gives it `page-host.ts` of this folder. */
import '@coppice/web/page';
