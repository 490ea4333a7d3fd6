/** The environment of the page. Only the demo of the site replaces this module, when it is built. */

export interface PageHost {
  /** Sends the requests of the page; undefined uses the browser's own `fetch`. */
  readonly fetch: ((request: Request) => Promise<Response>) | undefined;
  /** The prefix of the address of every screen. If it ends in `#`, the address is in the fragment of the URL. */
  readonly addressPrefix: string;
  /** The folder of the page's own files, without a slash at its end. */
  readonly files: string;
}

/** The page as a server of Coppice delivers it, at the root of its own address. */
export const pageHost: PageHost = { fetch: undefined, addressPrefix: '', files: '' };
