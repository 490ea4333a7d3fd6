/** Joins the words of a command so that `splitCommandLine` splits them again; words with spaces or quotes are quoted. */
export function joinCommandLine(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`)).join(' ');
}

/** Splits a command line like a shell: quotes keep words together, nothing is expanded. */
export function splitCommandLine(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (character === '\\' && quote === '"' && '"\\'.includes(line.charAt(at + 1))) word += line.charAt(++at);
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === '\\' && at + 1 < line.length) word = (word ?? '') + line.charAt(++at);
    else word = (word ?? '') + character;
  }
  if (word !== null) words.push(word);
  return words;
}
