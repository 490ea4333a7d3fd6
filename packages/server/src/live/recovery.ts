/** Recovers replies whose process has died, for all owners, while the server runs. */
import { setTimeout as wait } from 'node:timers/promises';
import type { SharedServices } from '../services.ts';

/** Recovers the replies of dead processes once, for all owners. Returns their number. Rejects if the store fails. */
export async function recoverRepliesOnce({ auth, engine, log }: SharedServices): Promise<number> {
  const { generator } = engine;
  const { length: saved } = await (auth.mode === 'token' ? generator.recover() : generator.recoverAll());
  if (saved > 0) log.info({ saved }, 'replies of an ended process were recovered');
  return saved;
}

/** Recovers replies at an interval until the server stops. */
export async function keepRecoveringReplies(services: SharedServices, everyMs = 5_000): Promise<void> {
  while (!services.closing.aborted) {
    await recoverRepliesOnce(services).catch((error: unknown) => {
      services.log.warn({ err: error }, 'replies of ended processes could not be recovered');
    });
    await wait(everyMs, undefined, { signal: services.closing, ref: false }).catch(() => undefined);
  }
}
