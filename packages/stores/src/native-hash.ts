/** Uses Node's SHA-256 for equality keys and attachments. */
import { setPlatformSha256Loader } from '@coppice/content';

type OneShotHash = (algorithm: 'sha256', input: string | Uint8Array, encoding: 'hex') => string;

/**
 * Returns the one-shot hash function of Node; undefined in a browser. `process.getBuiltinModule` is used instead of an
 * import, so that the memory store also loads in a browser.
 */
function platformHash(): OneShotHash | undefined {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?: (id: string) => unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto') as { readonly hash?: OneShotHash } | undefined;
  return crypto?.hash;
}

let done = false;

/** Makes core and content hash with Node's function, if there is one. It is loaded when the first hash is needed. */
export function registerNativeHash(): void {
  if (done) return;
  done = true;
  setPlatformSha256Loader(() => {
    const hash = platformHash();
    // The one-shot function is used, because creating a hash object takes longer than hashing a message.
    return hash === undefined ? undefined : (input) => hash('sha256', input, 'hex');
  });
}
