/** The stemmer of M. F. Porter (1980) for English words in lower case. */

const consonant = '[^aeiou]';
const vowel = '[aeiouy]';
const consonants = `${consonant}[^aeiouy]*`;
const vowels = `${vowel}[aeiou]*`;
/** The measure of a stem, as Porter defines it: how many sequences of vowels followed by consonants it has. */
const measureAboveZero = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const measureOne = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const measureAboveOne = new RegExp(`^(?:${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(?:${consonants})?${vowel}`);
const endsShort = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`);

/** Endings and their replacements, longest first. They are replaced only if the rest has a measure above zero. */
const longEndings: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['ise', 'ize'],
  ['eli', 'e'],
];
const adjectiveEndings: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const lastEndings =
  /^(.+?)(?:ement|ance|ence|able|ible|ment|(?<=[st])ion|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou)$/;

// The documentation repeats its words, and each stem takes a dozen regular expressions.
const knownStems = new Map<string, string>();
const maxKnownStems = 20_000;

/**
 * Returns the stem of a word, the same for branch, branches and branching. Short words and words with other characters
 * stay unchanged.
 */
export function stemWord(word: string): string {
  const known = knownStems.get(word);
  if (known !== undefined) return known;
  const stemmed = computeStem(word);
  if (knownStems.size < maxKnownStems) knownStems.set(word, stemmed);
  return stemmed;
}

function computeStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let stemmed = stripPlural(word);
  stemmed = stripPastAndGerund(stemmed);
  if (stemmed.endsWith('y') && hasVowel.test(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaceEnding(stemmed, longEndings);
  stemmed = replaceEnding(stemmed, adjectiveEndings);
  const [, rest] = lastEndings.exec(stemmed) ?? [];
  if (rest !== undefined && measureAboveOne.test(rest)) stemmed = rest;
  return stripFinalE(stemmed);
}

function stripPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function stripPastAndGerund(word: string): string {
  if (word.endsWith('eed')) return measureAboveZero.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const [, rest] = /^(.+)(?:ed|ing)$/.exec(word) ?? [];
  if (rest === undefined || !hasVowel.test(rest)) return word;
  if (/(?:at|bl|iz|is)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return measureOne.test(rest) && endsShort.test(rest) ? `${rest}e` : rest;
}

function replaceEnding(word: string, endings: readonly (readonly [string, string])[]): string {
  for (const [ending, replacement] of endings) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    return measureAboveZero.test(rest) ? `${rest}${replacement}` : word;
  }
  return word;
}

function stripFinalE(word: string): string {
  let stemmed = word;
  if (stemmed.endsWith('e')) {
    const rest = stemmed.slice(0, -1);
    if (measureAboveOne.test(rest) || (measureOne.test(rest) && !endsShort.test(rest))) stemmed = rest;
  }
  return stemmed.endsWith('ll') && measureAboveOne.test(stemmed) ? stemmed.slice(0, -1) : stemmed;
}
