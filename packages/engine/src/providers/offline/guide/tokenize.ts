/** Splits texts into stemmed words that can be compared. */
import { stemWord } from './stem.ts';

// Words that are too common to distinguish passages.
const common = new Set(
  'think thinks a about after all also am an and any are as at be because been but by can cannot could describe did do does explain for from get give had has have he her here his how i if in into is it its itself myself yourself just know let like make may me mean means more most my need no not now of on one only or our out please see she should show so some something such tell than that the their them then there these they thing this those to too up us use used using want was way we were what when where which while who why will with would you your coppice work works good say says nothing else really able actually already always anybody anyone anything anywhere available back best both but come comes coming currently different each either ever every everybody everyone everything gets getting go goes going gone got happen happened happens help case hey hi i lot lots many maybe much never often possible possibly put puts rather same simply since still sure there though thanks these through together try trying mine being until very via want wants whole whether yet'.split(
    ' ',
  ),
);

// The other forms of common verbs, which no list names in full: using, needs, wanted.
const commonStems = new Set(
  'use need want like make let work show tell look seem keep know say give take'.split(' ').map(stemWord),
);

/** Contractions are removed because they name no subject: don't, I'm, what's, you've. */
const contractions = [/\b\p{L}+n['’]t\b/gu, /['’](?:re|ll|ve|d|m|s)\b/g] as const;

/** Phrases that mean a single word; replaced before a text is split. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bget(?:ting)? (?:it |this )?(?:on|onto|running)\b/g, 'install'],
  [/\b(?:get|got|bring|brought|have|want) (?:\w+ ){0,3}back\b/g, 'restore'],
  [/\b(?:get|gets|getting|be|got) rid of\b/g, 'delete'],
  [/\bput (?:\w+ ){0,3}(?:back )?together\b/g, 'merge'],
  [/\bnext to each other\b/g, 'compare'],
  [/\b(?:turn|turned|turning|switch|switched|switching) (?:\w+ ){0,3}off\b/g, 'disable'],
  [/\b(?:turn|turned|turning|switch|switched|switching) (?:\w+ ){0,3}on\b/g, 'enable'],
  [/\bhow (?:expensive|much money)\b|\bhow much (?=.*\b(?:cost|pay|spen))/g, 'price '],
  [/\btak(?:e|es|en|ing) (?:it |that |this )?back\b/g, 'undo'],
  [/\b(?:roll|rolls|rolled) back\b/g, 'undo'],
  [/\bback(?:ed|ing)? ((?:\w+ ){0,3}?)up\b|\bback-up\b/g, 'backup $1'],
  [/\b(?:hook|wire)(?:ed|d|ing)? ((?:\w+ ){0,3}?)up\b|\bplug(?:ged|ging)? ((?:\w+ ){0,3}?)in\b/g, 'connect $1$2'],
  [/\b(?:bring|brings|bringing|get|carry) (?:it |them )?(?:in|over)\b/g, 'import'],
  [/\bask(?:s|ed|ing)? (?:me |us )?(?=before|first|each|every)/g, 'approval '],
  [/\bside by side\b/g, 'compare'],
  [/\b(?:a|safe) copy of\b/g, 'backup'],
  // The phrase does not mean that the user wants to compare messages.
  [/\bdifferences? between\b/g, ' '],
  [/\bwhere (?:can|do|could|would) (?:i|we|you) (?:find|see|look for)\b/g, 'location'],
  // The tokens of a model are counted; those that sign a user in are not.
  [/\bhow many tokens\b|\btokens? (?:usage|used|count|consumption)\b/g, 'tokens price window'],
  // A question about where something is saved is not about saving it.
  [/\bwhere (?:is|are|do(?:es)?|did) ((?:\w+ ){1,5}?)(?:saved?|stored?|kept|keep|go)\b/g, 'location $1 kept'],
  // `where` is the only question word that helps to find the answer.
  [/\bwhere (?=(?:is|are)\b|do(?:es)? (?:\w+ ){1,5}(?:put|keep|store|save|live|go)\b)/g, 'location '],
  [/\bcommand[ -]line\b/g, 'terminal'],
  [/\bfor good\b/g, 'permanently'],
  [/\b(?:sign|log)(?:ed|ging|ing)? in\b/g, 'signin'],
  [/\blog-?ins?\b/g, 'signin account'],
  // Signs of the input line, which have no letters.
  [/(?<![\p{L}\p{N}])@(?![\p{L}\p{N}"])(?: (?:sign|symbol)\b)?|\bat[ -]sign\b/gu, ' atsign '],
  [/\bexclamation (?:mark|point)\b/g, 'shell command'],
  [/\bset(?:ting)? up\b/g, 'install'],
  // Names of libraries that contain a common word.
  [/\bassistant-ui\b/g, 'assistantui'],
  [/\bai[ -]sdk\b/g, 'aisdk'],
  [/\bput (?:it|this|that) on\b/g, 'install'],
  [/\bput(?:ting)? (?:in|into)\b/g, 'enter'],
  [/\b(?:mov|switch|com|migrat)(?:e|ing|ed) (?:\w+ ){0,3}from\b/g, 'import'],
  // The system, not the context window.
  [/\b(?:on|for|under) (?:microsoft )?windows\b/g, 'system install'],
  [/\btoo many requests\b/g, 'rate limit'],
  [/\blast night\b/g, 'yesterday'],
  [/\blanguage models?\b/g, 'model'],
  [/\bthink(?:s|ing)? (?:harder|longer|more|less|deeper)\b/g, 'thinking effort'],
  [/\b(?:ctrl|control|cmd|command|⌘)[ +-]?z\b/g, 'undo'],
  [/\b(?:is|are|goes|went|was) down\b/g, 'fail'],
  [/\bhow many (?:users|people)\b/g, 'capacity users'],
  [/\bshow up\b/g, 'listed'],
  [/\bthrow(?:n|ing)? (?:\w+ ){0,3}(?:away|out)\b/g, 'delete'],
  [/\bout of (?:here|it|this|coppice)\b/g, 'export'],
  [/\b(?:without|not) (?:pay|spend|cost)\w*(?: for)?(?: anything| money)?\b/g, 'free'],
  [/\b(?:someone|somebody|anyone|anybody|nobody) else\b/g, 'people'],
  [/\ball the time\b|\balways on\b|\b24\/7\b/g, 'deploy'],
  [/\blook(?:s|ed|ing)? up\b/g, 'find'],
  [/\bsplit (?:up|off)\b/g, 'split'],
  [/\b(?:cut|break|broke|stop|stopped) (?:off|in the middle|half ?way|mid\w*)\b/g, 'cut interrupted'],
  [/\bpostgresql\b/g, 'postgres'],
  [/\btypescript\b/g, 'typescript library'],
];

/** Groups of words with the same meaning here; all count as the first one. */
const sameWords = [
  'chat conversation dialogue convo',
  'delete remove erase',
  'reply answer response',
  'image picture photo pic',
  'model llm bot',
  'folder directory',
  'restore recover undelete retrieve',
  'cost price',
  'setting configuration config preference',
  'computer machine laptop pc',
  'colleague teammate coworker',
  'copy duplicate',
  'upgrade update',
  'merge combine',
  'start begin launch',
  'search find',
  'label tag',
  'shortcut hotkey',
];
const canonical = new Map(
  sameWords.flatMap((line) => {
    const [first = '', ...others] = line.split(' ').map(stemWord);
    return others.map((other) => [other, first] as const);
  }),
);

function stemOf(word: string): string {
  const stem = stemWord(word);
  return canonical.get(stem) ?? stem;
}

/** Groups of synonyms; each line is one meaning. */
const groups = [
  'chat conversation dialogue thread',
  'delete remove erase discard',
  'purge permanently forever',
  'undo revert mistake oops wrong',
  'model llm gpt ai assistant',
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
  'offline network internet wifi',
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
  'forbid prevent block deny ban',
  'large big huge size larger bigger',
  'uninstall deinstall',
  'template preset',
  'login signin sso',
  'folder directory',
  'search find',
  'regenerate retry again another',
  'default standard',
  'slow fast speed performance latency',
  'stop pause cancel halt interrupt disable off quit exit',
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
  'repair fix mend damage corrupt broken fsck',
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
  'continue resume',
  'nginx caddy tls https certificate reverse',
  'trash bin wastebasket',
  'several multiple three two',
  'keep store save',
  'graph drawing diagram circle map',
  'instruction behave behaviour',
  'bookmark flag mark label',
  'join glue',
];

/** A word that newcomers use, and the terms of the documents for it. The reverse does not hold. */
const hints: readonly (readonly [string, string])[] = [
  ['password', 'token signin'],
  ['plugin', 'hook'],
  ['extension', 'hook'],
  ['callback', 'hook'],
  ['event', 'hook'],
  ['account', 'user token'],
  ['friend', 'share somebody'],
  ['disk', 'kept data'],
  ['office', 'team'],
  ['visible', 'reachable'],
  ['others', 'people'],
  ['original', 'old version'],
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
  ['storage', 'store database'],
  ['backend', 'store provider'],
  ['traffic', 'call recorded'],
  ['curl', 'http'],
  ['usb', 'backup copy'],
  ['stick', 'backup copy'],
  ['die', 'fail lost'],
  ['vanish', 'lost'],
  ['disappear', 'lost'],
  ['accident', 'mistake undo'],
  ['accidentally', 'mistake undo'],
  ['throw', 'delete'],
  ['toss', 'delete'],
  ['wipe', 'delete'],
  ['clean', 'delete'],
  ['clear', 'delete'],
  ['tour', 'start first'],
  ['tutorial', 'start first'],
  ['basic', 'start first'],
  ['beginner', 'start first'],
  ['mess', 'order organise'],
  ['sort', 'order organise'],
  ['category', 'order organise tag'],
  ['font', 'appearance'],
  ['letter', 'appearance'],
  ['black', 'dark'],
  ['white', 'light'],
  ['night', 'dark'],
  ['vulnerability', 'security'],
  ['hacker', 'security attack'],
  ['stranger', 'security token'],
  ['unauthorized', 'security token'],
  ['protect', 'security token'],
  ['register', 'account'],
  ['signup', 'account'],
  ['company', 'provider'],
  ['vendor', 'provider'],
  ['service', 'provider'],
  ['subscription', 'account price'],
  ['gratis', 'free'],
  ['trial', 'free'],
  ['million', 'capacity large'],
  ['capacity', 'large limit'],
  ['quota', 'limit rate'],
  ['email', 'share send'],
  ['mail', 'share send'],
  ['daemon', 'deploy server'],
  ['systemd', 'deploy server'],
  ['vps', 'deploy server'],
  ['nas', 'deploy server'],
  ['cloud', 'deploy server'],
  ['host', 'deploy server'],
  ['hosting', 'deploy server'],
  ['cron', 'backup'],
  ['nightly', 'backup'],
  ['daily', 'day'],
  ['grow', 'large size trim'],
  ['space', 'disk size'],
  ['number', 'code'],
  ['crash', 'interrupted cut'],
  ['bill', 'price cost'],
  ['dollar', 'price cost budget'],
  ['euro', 'price cost budget'],
  ['expense', 'price cost'],
  ['teammate', 'people share somebody'],
  ['colleague', 'people share somebody'],
  ['coworker', 'people share somebody'],
  ['family', 'people users'],
  ['kid', 'people users children'],
  ['wife', 'people users somebody'],
  ['husband', 'people users somebody'],
  ['boring', 'temperature'],
  ['repeat', 'temperature random'],
  ['vote', 'compare'],
  ['paragraph', 'message'],
  ['question', 'message'],
  ['prompt', 'message'],
  ['topic', 'chat'],
  ['session', 'chat'],
  ['obsidian', 'markdown'],
  ['notion', 'markdown'],
  ['word', 'document file'],
  ['spreadsheet', 'excel file'],
  ['powerpoint', 'file'],
  ['video', 'file'],
  ['audio', 'file'],
  ['voice', 'dictation'],
  ['microphone', 'dictation'],
  ['mobile', 'phone'],
  ['tablet', 'phone page'],
  ['iphone', 'phone page'],
  ['android', 'phone page'],
  ['mac', 'system install'],
  ['macos', 'system install'],
  ['linux', 'system install'],
  ['javascript', 'typescript library'],
  ['python', 'http'],
  ['rust', 'http'],
  ['npm', 'install package'],
];

const synonyms = new Map<string, Set<string>>();
for (const group of groups) {
  const stems = [...new Set(group.split(' ').map(stemOf))];
  for (const each of stems) {
    const others = synonyms.get(each) ?? new Set<string>();
    for (const other of stems) if (other !== each) others.add(other);
    synonyms.set(each, others);
  }
}

for (const [word, others] of hints) {
  const stem = stemOf(word);
  const known = synonyms.get(stem) ?? new Set<string>();
  for (const other of others.split(' ')) known.add(stemOf(other));
  synonyms.set(stem, known);
}

/** Returns the stems of words that mean the same as a word, which is given as a stem. */
export function synonymsOf(stemmed: string): ReadonlySet<string> {
  return synonyms.get(stemmed) ?? new Set();
}

/** Returns the stems of the words of a text, in order and without common words. */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  let prepared = text.toLowerCase();
  if (/['’]/.test(prepared)) for (const contraction of contractions) prepared = prepared.replace(contraction, ' ');
  for (const [phrase, word] of phrases) prepared = prepared.replace(phrase, word);
  for (const raw of prepared.match(/[\p{L}\p{N}][\p{L}\p{N}_'’/-]*/gu) ?? []) {
    if (!joint.test(raw)) addStem(raw, words);
    else for (const part of raw.replace(/['’](?:s|t)$/, '').split(joint)) addStem(part, words);
  }
  return words;
}

/** The signs within a word, as in `tool-call` and `read/write`. */
const joint = /[-_'’/]/;

function addStem(word: string, to: string[]): void {
  if ((word.length < 2 && !/\d/.test(word)) || common.has(word)) return;
  const stem = stemOf(word);
  if (!commonStems.has(stem)) to.push(stem);
}
