/** Splits texts into stemmed words that can be compared. */
import { stemWord } from './stem.ts';

// Words that are too common to distinguish passages.
const common = new Set(
  'a about after all also am an and any are as at be because been but by can cannot could describe did do does explain for from get give had has have he her here his how i if in into is it its just know let like make may me mean means more most my need no not now of on one only or our out please see she should show so some something such tell than that the their them then there these they thing this those to too up us use used using want was way we were what when where which while who why will with would you your coppice work works good say says nothing else really able actually already always anybody anyone anything anywhere available back both but come comes coming currently different each either ever every everybody everyone everything gets getting go goes going gone got happen happened happens help hey hi i lot lots many maybe much never often possible possibly put puts rather same simply since still sure there though thanks these through together try trying mine until very via want wants whole whether yet'.split(
    ' ',
  ),
);

/** Phrases that mean a single word; replaced before a text is split. */
const phrases: readonly (readonly [RegExp, string])[] = [
  // Contractions are removed because they name no subject: don't, I'm, what's, you've.
  [/\b\p{L}+n['’]t\b/gu, ' '],
  [/['’](?:re|ll|ve|d|m|s)\b/g, ' '],
  [/\bget(?:ting)? (?:it |this )?(?:on|onto|running)\b/g, 'install'],
  [/\b(?:get|got|bring|brought|have|want) (?:\w+ ){0,3}back\b/g, 'restore'],
  [/\b(?:get|gets|getting|be|got) rid of\b/g, 'delete'],
  [/\bput (?:\w+ ){0,3}(?:back )?together\b/g, 'merge'],
  [/\bnext to each other\b/g, 'compare'],
  [/\b(?:turn|turned|turning|switch|switched|switching) (?:\w+ )?off\b/g, 'disable'],
  [/\b(?:turn|turned|turning|switch|switched|switching) (?:\w+ )?on\b/g, 'enable'],
  [/\bhow (?:expensive|much money)\b|\bhow much (?=.*\b(?:cost|pay|spen))/g, 'price '],
  [/\btak(?:e|es|en|ing) (?:it |that |this )?back\b/g, 'undo'],
  [/\b(?:roll|rolls|rolled) back\b/g, 'undo'],
  [/\bback(?:ed|ing)? up\b|\bback-up\b/g, 'backup'],
  [/\b(?:bring|brings|bringing|get|carry) (?:it |them )?(?:in|over)\b/g, 'import'],
  [/\bask(?:s|ed|ing)? (?:me |us )?(?=before|first|each|every)/g, 'approval '],
  [/\bside by side\b/g, 'compare'],
  [/\b(?:a|safe) copy of\b/g, 'backup'],
  // The phrase does not mean that the user wants to compare messages.
  [/\bdifferences? between\b/g, ' '],
  // Of the question words, only `where` tells what the user looks for.
  [/\bwhere (?=(?:is|are)\b|do(?:es)? (?:\w+ ){1,5}(?:put|keep|store|save|live|go)\b)/g, 'location '],
  [/\bcommand[ -]line\b/g, 'terminal'],
  [/\bfor good\b/g, 'permanently'],
  [/\b(?:sign|log)(?:ed|ging|ing)? in\b/g, 'signin'],
  [/\bset(?:ting)? up\b/g, 'install'],
  [/\bpostgresql\b/g, 'postgres'],
  [/\btypescript\b/g, 'typescript library'],
];

/** Groups of synonyms; each line is one meaning. */
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
  'backup save safe',
  'import migrate load transfer',
  'name title rename',
  'install installation requirement',
  'terminal shell console cli',
  'app application program software',
  'database postgres sql db',
  'local machine computer laptop pc desktop',
  'offline network internet',
  'summary summarize compact compaction shorten condense',
  'temperature random creative',
  'window context length long',
  'fail error crash overload problem broken',
  'team people colleague person several shared share',
  'record capture recording',
  'compare diff difference',
  'merge combine join',
  'branch fork',
  'start begin launch first open',
  'edit change rewrite modify overwrite',
  'approval approve permission allow confirm ask',
  'folder directory',
  'search find',
  'regenerate retry again another',
  'default standard',
  'slow fast speed performance latency',
  'stop pause cancel disable off quit exit',
  'damage corrupt corruption',
  'check verify test',
  'old earlier older previous past',
  'own custom',
  'export download save',
  'switch jump navigate',
  'message sent wrote',
  'share link public',
  'user account person member',
  'theme dark light colour color mode appearance',
  'language german english translation interface',
  'attach attachment upload drop paste file',
  'image picture photo screenshot',
  'add connect',
  'thinking reasoning think effort',
  'repair fix mend damage corrupt fsck',
  'copy duplicate cherry',
  'upgrade update newer release',
  'dangerous harmful approval',
  'privacy private sent track telemetry',
  'docker container image compose',
  'shortcut keyboard hotkey',
  'tool function plugin',
  'enable activate',
  'instruction system role persona',
  'restore undelete recover',
  'lock busy',
  'complete completion tab autocomplete',
  'nginx caddy tls https certificate reverse',
];

/** A word that newcomers use, and the terms of the documents for it. The reverse does not hold. */
const hints: readonly (readonly [string, string])[] = [
  ['password', 'token signin'],
  ['account', 'user token'],
  ['friend', 'share somebody'],
  ['disk', 'kept data'],
  ['location', 'kept'],
  ['phone', 'page mobile'],
  ['browser', 'page'],
  ['website', 'page'],
  ['bug', 'problem'],
  ['manual', 'documentation'],
  ['pay', 'cost price'],
  ['forget', 'lost'],
  ['forgot', 'lost'],
  ['lose', 'lost'],
  ['gemini', 'google'],
  ['yesterday', 'earlier'],
  ['sqlite', 'database'],
];

const synonyms = new Map<string, Set<string>>();
for (const group of groups) {
  const stems = group.split(' ').map(stemWord);
  for (const each of stems) {
    const others = synonyms.get(each) ?? new Set<string>();
    for (const other of stems) if (other !== each) others.add(other);
    synonyms.set(each, others);
  }
}

for (const [word, others] of hints) {
  const known = synonyms.get(stemWord(word)) ?? new Set<string>();
  for (const other of others.split(' ')) known.add(stemWord(other));
  synonyms.set(stemWord(word), known);
}

/** Returns the stems of words that mean the same as a word, which is given as a stem. */
export function synonymsOf(stemmed: string): ReadonlySet<string> {
  return synonyms.get(stemmed) ?? new Set();
}

/** Returns the stems of the words of a text, in order and without common words. */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  let prepared = text.toLowerCase();
  for (const [phrase, word] of phrases) prepared = prepared.replace(phrase, word);
  for (const [raw] of prepared.matchAll(/[\p{L}\p{N}][\p{L}\p{N}_'’/-]*/gu)) {
    for (const part of raw.replace(/['’](?:s|t)$/, '').split(/[-_'’/]/)) {
      if ((part.length > 1 || /\d/.test(part)) && !common.has(part)) words.push(stemWord(part));
    }
  }
  return words;
}
