/** Finds local servers with models. */
import type { ModelProviders } from '../providers/index.ts';
import { localServers } from './connections.ts';
import type { LiveConfig } from './live-config.ts';

// Short, so that a missing server does not delay the list.
const detectMs = 800;

/** Asks every local server for its models and stores them. Never rejects. */
export async function findLocalModels(
  live: LiveConfig,
  providers: Pick<ModelProviders, 'tryConnection'>,
  signal?: AbortSignal,
): Promise<void> {
  if (!live.rules.privateAddresses || !live.current.detectOllama) return;
  for (const { name, kind, label, address } of localServers) {
    const section = live.current.providers.get(name);
    const asked = { headers: {}, models: [], enabled: true, name, kind, label, baseUrl: address, ...section };
    const models = await providers
      .tryConnection(asked, { ...(signal === undefined ? {} : { signal }), limits: { firstByteMs: detectMs } })
      .catch(() => null);
    // A server that is not running now has the same models when it runs again.
    if (models !== null && models.length > 0)
      await live
        .rememberFound(
          name,
          models.map((model) => model.id),
        )
        .catch(() => undefined);
  }
}
