/** Detects local model servers such as Ollama. */
import type { ModelProviders } from '../providers/index.ts';
import { localModelServers } from './connections.ts';
import type { LiveConfig } from './live-config.ts';

// Short, so that a server that is not running does not delay the model list.
const detectMs = 800;

/** Asks every local server for its models and stores their names. Never rejects. */
export async function findLocalModels(
  live: LiveConfig,
  providers: Pick<ModelProviders, 'tryConnection'>,
  signal?: AbortSignal,
): Promise<void> {
  if (!live.rules.privateAddresses || !live.current.detectOllama) return;
  for (const { name, kind, label, address } of localModelServers) {
    const section = live.current.providers.get(name);
    const asked = { headers: {}, models: [], enabled: true, name, kind, label, baseUrl: address, ...section };
    const models = await providers
      .tryConnection(asked, { ...(signal === undefined ? {} : { signal }), limits: { firstByteMs: detectMs } })
      .catch(() => null);
    // If the server is not running, its stored models stay listed for the next time it runs.
    if (models !== null && models.length > 0)
      await live
        .rememberFound(
          name,
          models.map((model) => model.id),
        )
        .catch(() => undefined);
  }
}
