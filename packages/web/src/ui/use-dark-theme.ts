import { useSyncExternalStore } from 'react';
import { useUi } from '../state/ui.ts';

function subscribe(changed: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** Whether the page is dark, by its setting or the system's. */
export function useDarkTheme(): boolean {
  const theme = useUi((ui) => ui.theme);
  const system = useSyncExternalStore(
    subscribe,
    () => matchMedia('(prefers-color-scheme: dark)').matches,
    () => false,
  );
  return theme === 'system' ? system : theme === 'dark';
}
