/** The first words of a message as a title, without Markdown markup. */

// Marks of emphasis and code are removed only in pairs: `f(**kwargs)` and `__init__` stay unchanged.
const marks: readonly (readonly [RegExp, string])[] = [
  // The fence of a code block with its language; in the previews of the server the code follows on the same line.
  [/(?:^|(?<=\s))(?:`{3,}|~{3,})[\w+#.-]*(?:[ \t]+\w+="[^"\n]*")*(?=\s|$)/gm, ' '],
  // The marks at the beginning of each line.
  [/^(?:[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+)+(?=\S)/gm, ''],
  // Previews of the server are one line, so a heading may begin in the middle. Only two or more `#` are removed there;
  // a single one may be text, as in `C #`.
  [/(?<=\S\s)#{2,6}[ \t]+(?=\S)/g, ''],
  // The line below the head of a table.
  [/^[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t:|-]*)?$/gm, ' '],
  // The line below the head of a table, in a preview of the server: there the whole table is one line.
  [/\|[ \t]*\|(?:[ \t]*(?::-+:?|-{2,}:?|-:)[ \t]*\|)+(?:[ \t]*\|)?/g, '|'],
  // The bars at both ends of a table row.
  [/^[ \t]*\|(.+?)\|?[ \t]*$/gm, '$1'],
  [/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, '$2'],
  [/(\*{1,3})(?=[^\s*])(.+?)(?<=[^\s*])\1(?![\w*])/g, '$2'],
  [/~~(?=\S)(.+?)(?<=\S)~~/g, '$1'],
  [/!?\[([^\][]+)\]\([^()\s]*\)/g, '$1'],
];

// A line is cut before a word that begins at most this many characters before the limit, and otherwise within a word.
const longestCutWord = 16;

/** Cuts a line that is longer than `most`, before a word if possible, and ends it with an ellipsis. */
function cutLine(line: string, most: number): string {
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  const space = line.charAt(most - 1) === ' ' ? cut.length : cut.lastIndexOf(' ');
  // Half a surrogate pair would be shown as a box.
  const whole = space > Math.max(0, most - longestCutWord) ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/, '');
  return `${whole.replace(/[\s.,;:]+$/, '')}…`;
}

/** Returns a text on one line without markup, cut at a length. A mark whose counterpart was cut off stays. */
export function toExcerpt(text: string, most = Number.POSITIVE_INFINITY): string {
  // Markup makes a line longer, but seldom by half; the rest is not examined.
  let line = text.slice(0, Math.min(text.length, most * 2 + 40)).trim();
  if (/[#>*+`~[|\d-]/.test(line)) for (const [mark, words] of marks) line = line.replace(mark, words);
  line = line.replace(/\s+/g, ' ').trim();
  return cutLine(line, most);
}
