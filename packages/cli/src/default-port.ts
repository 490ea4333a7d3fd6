/** The port of `coppice serve`, if it is free. */
export const defaultPort = 4747;
