/** The first words of a message as its name in a line, without the marks that would set them. */

// Pairs only: `f(**kwargs)` and `__init__` say what they say.
const marks: readonly (readonly [RegExp, string])[] = [
  [/^(?:\s*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+)+/, ''],
  [/(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, '$2'],
  [/(\*{1,3})(?=[^\s*])(.+?)(?<=[^\s*])\1(?![\w*])/g, '$2'],
  [/~~(?=\S)(.+?)(?<=\S)~~/g, '$1'],
  [/!?\[([^\][]+)\]\([^()\s]*\)/g, '$1'],
];

/** Text as a line of words, cut at a length. A mark that is cut off itself stays. */
export function firstWords(text: string, most = Number.POSITIVE_INFINITY): string {
  // Marks make a line longer than what is read of it, but seldom by half; what comes after is not looked at.
  let line = text
    .slice(0, Math.min(text.length, most * 2 + 40))
    .replace(/\s+/g, ' ')
    .trim();
  if (/[#>*+`~[\d-]/.test(line)) for (const [mark, words] of marks) line = line.replace(mark, words);
  return line.length > most ? line.slice(0, most).trimEnd() : line;
}
