/** Node's SHA-256 for equality keys and attachments. */
import { setPlatformSha256Loader } from '@coppice/content';

type OneShotHash = (algorithm: 'sha256', input: string | Uint8Array, encoding: 'hex') => string;

/** The platform's one-shot hash; undefined in a browser. Not imported, so that the memory store loads there as well. */
function platformHash(): OneShotHash | undefined {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?: (id: string) => unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto') as { readonly hash?: OneShotHash } | undefined;
  return crypto?.hash;
}

let done = false;

/** Uses the platform's hash for texts and bytes, if there is one. It is loaded with the first hash. */
export function useNativeHash(): void {
  if (done) return;
  done = true;
  setPlatformSha256Loader(() => {
    const hash = platformHash();
    // The one-shot function: an object per hash would cost more than hashing a message.
    return hash === undefined ? undefined : (input) => hash('sha256', input, 'hex');
  });
}
