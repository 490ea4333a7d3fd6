/** A browser warns of no listeners, so there is nothing to set. */
export function setMaxListeners(): void {
  return undefined;
}
