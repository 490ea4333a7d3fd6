/** The default port of `coppice serve`. */
export const defaultPort = 4747;
