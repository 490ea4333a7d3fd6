/** The methods of the API that describe the server: models, tools, settings, recorder. */
import type { McpServerView, ModelView, RecorderView, SettingsView, ToolView } from '../api-types.ts';
import { type Routes, readResponse, requireSuccess } from './request.ts';

/** Creates the methods that read what the server offers and how it is configured. */
export function createServerInfoMethods(routes: Routes) {
  return {
    models: () =>
      // The list of models is long and rarely changes. The browser caches it, and checks whether it has changed.
      readResponse<{ readonly items: readonly ModelView[]; readonly default?: string }>(
        routes.GET('/api/models', { cache: 'no-cache' }),
      ),
    refreshModels: () => requireSuccess(routes.POST('/api/models/refresh')),
    tools: () => readResponse<{ readonly items: readonly ToolView[] }>(routes.GET('/api/tools')),
    mcp: () => readResponse<{ readonly servers: readonly McpServerView[] }>(routes.GET('/api/mcp')),
    settings: () => readResponse<SettingsView>(routes.GET('/api/settings')),
    recorder: () => readResponse<RecorderView>(routes.GET('/api/proxy')),
  } as const;
}
