/** Does nothing, because browsers do not limit the number of listeners. */
export function setMaxListeners(): void {
  return undefined;
}
