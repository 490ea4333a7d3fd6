/** The first words of a message as a title, without Markdown markup. */

// Only paired marks are removed: `f(**kwargs)` and `__init__` stay unchanged.
const marks: readonly (readonly [RegExp, string])[] = [
  // Matches the marks at the beginning of each line, the line below the head of a table, and the bars between its
  // cells.
  [/^(?:[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+)+(?=\S)/gm, ''],
  [/^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t:|-]*)?$/gm, ' '],
  [/^[ \t]*\|(.+?)\|?[ \t]*$/gm, '$1'],
  [/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, '$2'],
  [/(\*{1,3})(?=[^\s*])(.+?)(?<=[^\s*])\1(?![\w*])/g, '$2'],
  [/~~(?=\S)(.+?)(?<=\S)~~/g, '$1'],
  [/!?\[([^\][]+)\]\([^()\s]*\)/g, '$1'],
];

/** Returns a text on one line without markup, cut at a length. A mark whose counterpart was cut off stays. */
export function toExcerpt(text: string, most = Number.POSITIVE_INFINITY): string {
  // Markup makes a line longer, but seldom by half; the rest is not examined.
  let line = text.slice(0, Math.min(text.length, most * 2 + 40)).trim();
  if (/[#>*+`~[|\d-]/.test(line)) for (const [mark, words] of marks) line = line.replace(mark, words);
  line = line.replace(/\s+/g, ' ').trim();
  return line.length > most ? line.slice(0, most).trimEnd() : line;
}
