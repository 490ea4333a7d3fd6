/** Lists of IP networks, by Node. */
export { BlockList, isIP } from 'node:net';
