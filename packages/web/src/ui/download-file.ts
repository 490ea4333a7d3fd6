/** Saves files on the user's machine. */

/** Saves the content of a URL as a file; an empty name leaves the name to the server. */
export function downloadFromUrl(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Saves bytes as a file. */
export function downloadBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  downloadFromUrl(address, name);
  // Some browsers start reading only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Saves a text as a file. */
export function downloadText(text: string, name: string, type = 'text/plain'): void {
  downloadBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}
