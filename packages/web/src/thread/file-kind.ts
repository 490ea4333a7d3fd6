/** Short names of file types, such as PDF or Excel. */

const kinds: readonly (readonly [RegExp, string])[] = [
  [/pdf$/i, 'PDF'],
  [/wordprocessingml|msword|opendocument\.text/i, 'Word'],
  [/spreadsheetml|ms-excel|opendocument\.spreadsheet/i, 'Excel'],
  [/presentationml|ms-powerpoint|opendocument\.presentation/i, 'PowerPoint'],
  [/csv$/i, 'CSV'],
  [/json$/i, 'JSON'],
  [/^text\/markdown$/i, 'Markdown'],
  [/^text\/html$/i, 'HTML'],
  [/zip$/i, 'ZIP'],
];

/** A short label for a file: its kind, else the extension of its name, else its media type. */
export function formatFileKind(name: string, mediaType: string): string {
  const known = kinds.find(([type]) => type.test(mediaType));
  if (known !== undefined) return known[1];
  const [, ending] = /\.([A-Za-z0-9]{1,6})$/.exec(name) ?? [];
  return ending?.toUpperCase() ?? mediaType;
}
