/** The port of `coppice serve`, unless it is in use. */
export const defaultPort = 4747;
