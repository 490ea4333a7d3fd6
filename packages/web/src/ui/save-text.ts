/** Saves a text as a file on the user's machine. */
export function saveText(text: string, name: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers start reading only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
