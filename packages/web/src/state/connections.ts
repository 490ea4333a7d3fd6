/** The connections to providers and servers of models; only admins see them. */
import { type ApiSchemas, readResponse } from '@coppice/client';
import { create } from 'zustand';
import { useAppData } from './app-data.ts';
import { routes } from './page-client.ts';
import { navigateTo } from './router.ts';

/** A connection to a provider, or to a server of models at a URL. */
export type ModelConnection = ApiSchemas['Connection'];

interface ConnectionsState {
  /** Null until the connections are loaded, and for users who may not see them. */
  readonly items: readonly ModelConnection[] | null;
  /** Whether the user may add connections on the page. */
  readonly canAdd: boolean;
}

/** The connections, for the screens that offer to connect a model. */
export const useConnections = create<ConnectionsState>(() => ({ items: null, canAdd: false }));

/** Loads the connections. If the server refuses, they stay unknown and the page offers no connection. */
export async function loadConnections(): Promise<void> {
  try {
    const { items, keptIn } = await readResponse<{
      readonly items: readonly ModelConnection[];
      readonly keptIn: string | null;
    }>(routes.GET('/api/connections'));
    useConnections.setState({ items, canAdd: keptIn !== null });
  } catch {
    useConnections.setState({ items: null, canAdd: false });
  }
}

/** Whether a model of a provider or server is ready; the built-in guide, which needs no connection, does not count. */
export function useHasOwnModel(): boolean {
  return useAppData(
    ({ registersKnown, models }) =>
      !registersKnown || models.some((model) => model.ready && model.provider !== 'offline'),
  );
}

/** Opens the settings with the form of a connection; an empty name adds another address. */
export function openConnectionForm(name: string): void {
  navigateTo({ name: 'settings', section: 'models', connect: name });
}
