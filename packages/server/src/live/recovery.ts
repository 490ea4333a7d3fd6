/** Saves replies whose process is gone, for every owner, for as long as the server runs. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Services } from '../services.ts';

/** Whose replies may need saving. */
async function owners({ auth, store }: Services): Promise<readonly string[]> {
  if (auth.mode === 'token') return [store.owner];
  return (await store.accounts.users()).map((user) => user.id);
}

/** Looks once. A store that is away for a while has its replies saved when it is back. */
export async function recoverOnce(services: Services): Promise<number> {
  let saved = 0;
  for (const owner of await owners(services)) {
    const ownerServices = services.ownerServicesOf(owner);
    saved += (await ownerServices.engineOf(ownerServices.store).generator.recover()).length;
  }
  if (saved > 0) services.log.info({ saved }, 'replies of a process that is gone were saved');
  return saved;
}

/** Looks again and again until the server stops. */
export async function keepRecovering(services: Services, everyMs = 5_000): Promise<void> {
  while (!services.closing.aborted) {
    await recoverOnce(services).catch((error: unknown) => {
      services.log.warn({ err: error }, 'replies could not be looked after');
    });
    await wait(everyMs, undefined, { signal: services.closing, ref: false }).catch(() => undefined);
  }
}
