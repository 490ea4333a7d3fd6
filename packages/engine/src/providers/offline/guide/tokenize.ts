/** Splits texts into comparable words. */
import { stem } from './stem.ts';

// Stop words.
const common = new Set(
  'a about after all also am an and any are as at be because been but by can cannot could describe did do does explain for from get give had has have he her here his how i if in into is it its just know let like make may me mean means more most my need no not now of on one only or our out please see she should show so some something such tell than that the their them then there these they thing this those to too up us use used using want was way we were what when where which while who why will with would you your coppice work works good say says nothing else really'.split(
    ' ',
  ),
);

/** Several words that mean one, replaced before a text is split. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\btak(?:e|es|en|ing) (?:it |that |this )?back\b/g, 'undo'],
  [/\b(?:roll|rolls|rolled) back\b/g, 'undo'],
  [/\bback(?:ed|ing)? up\b|\bback-up\b/g, 'backup'],
  [/\b(?:bring|brings|bringing|get|carry) (?:it |them )?(?:in|over)\b/g, 'import'],
  [/\bside by side\b/g, 'compare'],
  [/\bcommand[ -]line\b/g, 'terminal'],
  [/\bfor good\b/g, 'permanently'],
  [/\b(?:sign|log)(?:ed|ging|ing)? in\b/g, 'signin'],
  [/\bset(?:ting)? up\b/g, 'install'],
  [/\bpostgresql\b/g, 'postgres'],
  [/\btypescript\b/g, 'typescript library'],
];

/** Words that newcomers use for each other; each line is one meaning. */
const groups = [
  'chat conversation dialogue thread',
  'delete remove erase discard',
  'purge permanently forever',
  'undo revert mistake oops wrong',
  'model llm gpt ai',
  'key credential secret',
  'version variant alternative',
  'reply answer response',
  'setting configuration config preference',
  'cost price money spend dollar expensive',
  'budget limit cap maximum',
  'backup copy save safe',
  'import migrate load transfer',
  'name title rename',
  'install installation requirement',
  'terminal shell console cli',
  'app application program software',
  'database postgres sql db',
  'local offline machine computer laptop',
  'summary summarize compact compaction shorten condense',
  'temperature random creative',
  'window context length long',
  'fail error crash overload problem broken',
  'team people colleague person several shared share',
  'record capture recording',
  'compare diff difference',
  'merge combine join',
  'branch fork',
  'image picture photo',
  'start begin launch first open',
  'edit change rewrite modify overwrite',
  'approval approve permission allow confirm ask',
  'folder directory',
  'search find',
  'export download',
  'regenerate retry again another',
  'default standard',
  'slow fast speed performance latency',
  'stop pause cancel disable off quit exit',
  'damage corrupt corruption',
  'check verify test',
  'old earlier older previous past',
  'own custom',
  'shortcut key',
];

const synonyms = new Map<string, Set<string>>();
for (const group of groups) {
  const stems = group.split(' ').map(stem);
  for (const each of stems) {
    const others = synonyms.get(each) ?? new Set<string>();
    for (const other of stems) if (other !== each) others.add(other);
    synonyms.set(each, others);
  }
}

/** The stems of words that mean the same as a word, given by its stem. */
export function synonymsOf(stemmed: string): ReadonlySet<string> {
  return synonyms.get(stemmed) ?? new Set();
}

/** The words of a text without stop words, in order, in lower case and stemmed. */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  let prepared = text.toLowerCase();
  for (const [phrase, word] of phrases) prepared = prepared.replace(phrase, word);
  for (const [raw] of prepared.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_'’/-]*/gu)) {
    for (const part of raw.replace(/['’](?:s|t)$/, '').split(/[-_'’/]/)) {
      if ((part.length > 1 || /\d/.test(part)) && !common.has(part)) words.push(stem(part));
    }
  }
  return words;
}
