/**
 * Fetches URLs that a user entered, in a browser. There a request comes from the user's own computer, and the browser
 * decides which addresses a page may reach.
 */
import { AppError } from '@coppice/core';
import { isPrivateAddress } from '../../connections/private-address.ts';
import type { PublicFetchOptions } from '../node/public-fetch.ts';

export type { PublicFetchOptions };

/** Sends a request to a public address. Rejects with `keys/address` if the URL names a private one. */
export async function fetchPublicAddress(address: string | URL, init: PublicFetchOptions = {}): Promise<Response> {
  const { hostname } = new URL(address);
  if (isPrivateAddress(hostname))
    throw new AppError({
      code: 'keys/address',
      kind: 'refused',
      message: `${hostname} is an address of this machine or of a private network. Such addresses come from the configuration of the operator.`,
    });
  const { method = 'GET', headers = {}, body = null, signal = null } = init;
  return fetch(address, { method, headers: { ...headers }, body, signal, redirect: 'manual' });
}
