/** The port of `coppice serve`, if it is free. */
export const usualPort = 4747;
