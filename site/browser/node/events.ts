/** Does nothing: a browser has no limit of listeners to warn about. */
export function setMaxListeners(): void {
  return undefined;
}
