/** German translations of the output of commands, by the English sentence; values in braces are translated too. */
import { germanPhrase } from './command-phrases-de.ts';
import type { Dictionary } from './dictionary.ts';

/** The sentences of built-in commands. */
const commandSentencesDe: Readonly<Record<string, string>> = {
  'You are already there.': 'Du bist schon dort.',
  'You are already right above {node}.': 'Du bist schon direkt über {node}.',
  'A hook moved you to the beginning instead.': 'Ein Hook hat dich stattdessen an den Anfang geführt.',
  'A hook moved you to {node} instead.': 'Ein Hook hat dich stattdessen zu {node} geführt.',
  'Moved to the beginning; your next message starts a new branch.':
    'Am Anfang: deine nächste Nachricht beginnt einen neuen Zweig.',
  'The text {quote} is in the editor.': 'Der Text {quote} steht im Eingabefeld.',
  'A summary of the branch you left precedes your next message.':
    'Eine Zusammenfassung des verlassenen Zweigs steht vor deiner nächsten Nachricht.',
  'Moved to before {node}; its text is in the editor.': 'Jetzt vor {node}; der Text steht im Eingabefeld.',
  'Moved to the beginning.': 'Am Anfang.',
  'Moved to {node}.': 'Jetzt bei {node}.',
  '{n} branch continues from there; your next message starts another.':
    '{n} Zweig geht von dort weiter; deine nächste Nachricht beginnt einen weiteren.',
  '{n} branches continue from there; your next message starts another.':
    '{n} Zweige gehen von dort weiter; deine nächste Nachricht beginnt einen weiteren.',
  'Copied all branches to a new conversation.': 'Alle Zweige sind in ein neues Gespräch kopiert.',
  'Copied all branches to a new file, {any}.': 'Alle Zweige sind in eine neue Datei kopiert: {any}.',
  'Started again in a new conversation.': 'Neu begonnen in einem neuen Gespräch.',
  'Started again in a new file, {any}.': 'Neu begonnen in einer neuen Datei: {any}.',
  'Continues after {node} in a new conversation.': 'Geht nach {node} in einem neuen Gespräch weiter.',
  'Continues after {node} in a new file, {any}.': 'Geht nach {node} in einer neuen Datei weiter: {any}.',
  'Continues before {node} in a new conversation.': 'Geht vor {node} in einem neuen Gespräch weiter.',
  'Continues before {node} in a new file, {any}.': 'Geht vor {node} in einer neuen Datei weiter: {any}.',
  'Its text is in the editor.': 'Der Text steht im Eingabefeld.',
  'The original is unchanged.': 'Das ursprüngliche Gespräch ist unverändert.',
  'Undid {parts}.': 'Rückgängig gemacht: {parts}.',
  'Redid {parts}.': 'Wiederhergestellt: {parts}.',
  'Merged the branch that ends with {node}, as a summary.':
    'Der Zweig, der mit {node} endet, ist als Zusammenfassung eingefügt.',
  'Merged the branch that ends with {node}, as {messages}.':
    'Der Zweig, der mit {node} endet, ist eingefügt: {messages}.',
  'Copied {node} to the end of this branch.': 'Ans Ende dieses Zweigs kopiert: {node}.',
  'Copied {messages} to the end of this branch.': 'Ans Ende dieses Zweigs kopiert: {messages}.',
  '{messages} replaced by a summary: the model now gets about {tokens} instead of {n}.':
    '{messages} durch eine Zusammenfassung ersetzt: das Modell bekommt jetzt etwa {tokens} statt {n}.',
  'Nothing was deleted.': 'Nichts wurde gelöscht.',
  'The model sees {messages}, about {tokens}.': 'Das Modell sieht {messages}, etwa {tokens}.',
  'The model sees {messages}, about {tokens}; the window of {any} is not known.':
    'Das Modell sieht {messages}, etwa {tokens}; das Fenster von {any} ist nicht bekannt.',
  '{any} sees {messages}, about {tokens}: {percent} of its window of {n}, {n} until older messages are summarised.':
    '{any} sieht {messages}, etwa {tokens}: {percent} des Fensters von {n}; noch {n}, bis ältere Nachrichten zusammengefasst werden.',
  '{any} sees {messages}, about {tokens}: {percent} of its window of {n}, it is time to /compact.':
    '{any} sieht {messages}, etwa {tokens}: {percent} des Fensters von {n}; es ist Zeit für /compact.',
  '{nodes} in the conversation, {lines} shown.': '{nodes} im Gespräch, {lines} gezeigt.',
  '{nodes} from there on, {lines} shown.': '{nodes} von dort an, {lines} gezeigt.',
  '{lines} not shown: name a message, or set --limit.':
    '{lines} nicht gezeigt: nenne eine Nachricht, oder setze --limit.',
  'There is no branch yet: the conversation is empty.': 'Es gibt noch keinen Zweig: das Gespräch ist leer.',
  'There is 1 branch.': 'Es gibt einen Zweig.',
  'There are {n} branches.': 'Es gibt {n} Zweige.',
  'There are {n} branches; the newest {n} are listed.': 'Es gibt {n} Zweige; die neuesten {n} sind aufgezählt.',
  'Wrote the branch of {node} to {any}.': 'Der Zweig von {node} ist in {any} geschrieben.',
  'There are {n} commands. /help <command> explains one.': 'Es gibt {n} Befehle. /help <Befehl> erklärt einen.',
  'There are no labels.': 'Es gibt keine Lesezeichen.',
  'There is 1 label.': 'Es gibt ein Lesezeichen.',
  'There are {n} labels.': 'Es gibt {n} Lesezeichen.',
  '{node} has no label.': '{node} hat kein Lesezeichen.',
  '{node} is labelled {quote}.': '{node} hat das Lesezeichen {quote}.',
  'Nothing to do: {node} has no label.': 'Nichts zu tun: {node} hat kein Lesezeichen.',
  'Nothing to do: {node} is already labelled {quote}.': 'Nichts zu tun: {node} hat das Lesezeichen {quote} schon.',
  'Removed the label {quote} from {node}.': 'Das Lesezeichen {quote} ist von {node} entfernt.',
  'Labelled {node} {quote}.': '{node} hat jetzt das Lesezeichen {quote}.',
  'Labelled {node} {quote}, before {quote}.': '{node} hat jetzt das Lesezeichen {quote}, vorher {quote}.',
  'No model was chosen, and none is known here.': 'Kein Modell wurde gewählt, und hier ist keines bekannt.',
  'This branch uses {any}: it was set on this branch.':
    'Dieser Zweig verwendet {any}: es wurde auf diesem Zweig gesetzt.',
  'This branch uses {any}: it wrote the last reply here.':
    'Dieser Zweig verwendet {any}: es schrieb hier die letzte Antwort.',
  'This branch uses {any}: it was set for the whole conversation.':
    'Dieser Zweig verwendet {any}: es wurde für das ganze Gespräch gesetzt.',
  'This branch uses {any}: it is the default.': 'Dieser Zweig verwendet {any}: es ist voreingestellt.',
  'This branch already uses {any}.': 'Dieser Zweig verwendet schon {any}.',
  'This branch uses {any} instead of {any}.': 'Dieser Zweig verwendet {any} statt {any}.',
  'This branch uses {any}.': 'Dieser Zweig verwendet {any}.',
  'It is not ready yet.': 'Es ist noch nicht bereit:',
  'Set {any}, or api_key in [providers.{any}].': 'Setze {any}, oder api_key in [providers.{any}].',
  'The conversation has no title.': 'Das Gespräch hat keinen Titel.',
  'The conversation is called {quote}.': 'Das Gespräch heißt {quote}.',
  'The conversation is called {quote} now.': 'Das Gespräch heißt jetzt {quote}.',
  'Nothing to do: that is already its title.': 'Nichts zu tun: das ist schon der Titel.',
  'Removed the title of the conversation.': 'Der Titel des Gesprächs ist entfernt.',
};

/** The parts of an act, as undo and redo name them. */
const partsDe: Readonly<Record<string, string>> = {
  '{messages} ({quote})': '{messages} ({quote})',
  '{messages}': '{messages}',
  '{n} branch summary': '{n} Zusammenfassung eines Zweigs',
  '{n} branch summaries': '{n} Zusammenfassungen von Zweigen',
  '{n} compaction': '{n} Verdichtung',
  '{n} compactions': '{n} Verdichtungen',
  '{n} injected message': '{n} eingefügte Nachricht',
  '{n} injected messages': '{n} eingefügte Nachrichten',
  '{n} state of an extension': '{n} Zustand einer Erweiterung',
  '{n} state of an extensions': '{n} Zustände von Erweiterungen',
  'a label': 'ein Lesezeichen',
  'the label {quote}': 'das Lesezeichen {quote}',
  'the title': 'der Titel',
  'the model': 'das Modell',
  'the model of the branch': 'das Modell des Zweigs',
  'the tags': 'die Schlagwörter',
  tags: 'Schlagwörter',
  'the folder': 'der Ordner',
  'the pin': 'die Anheftung',
  'the move to the trash': 'der Weg in den Papierkorb',
  'a property of the tree': 'eine Eigenschaft des Baums',
  'what was added': 'was hinzugefügt wurde',
  'a deletion': 'eine Löschung',
  'a restored part': 'ein wiederhergestellter Teil',
  'a move': 'eine Verschiebung',
  'a change of text': 'eine Änderung des Textes',
  'a title': 'ein Titel',
  'a note': 'eine Notiz',
  'a grouping of variants': 'eine Gruppe von Varianten',
  'a change without lasting effect': 'eine Änderung ohne bleibende Wirkung',
};

const speakersDe: Readonly<Record<string, string>> = {
  user: 'du',
  assistant: 'Modell',
  system: 'System',
  tool: 'Werkzeug',
  'branch-summary': 'Zusammenfassung',
  compaction: 'Verdichtung',
  injected: 'eingefügt',
  state: 'Zustand',
};
const speaker = Object.keys(speakersDe).join('|');

const numbers = new Intl.NumberFormat('de');
const numberOf = (written: string) => Number(written.replaceAll(',', ''));
const german = (written: string) => numbers.format(numberOf(written));
const quotedText = (text: string) => `„${text.slice(1, -1)}“`;

function countedAs(one: string, many: string) {
  return (text: string) => {
    const n = /^[\d,]+/.exec(text)?.[0] ?? '0';
    return `${german(n)} ${numberOf(n) === 1 ? one : many}`;
  };
}

/** The placeholders: what they match, and how the value is translated. */
const places: Readonly<Record<string, { readonly is: string; say(text: string): string }>> = {
  n: { is: '[\\d,]+', say: german },
  percent: { is: '[\\d.]+ %', say: (text) => text.replace('.', ',') },
  any: { is: '.+?', say: (text) => text },
  quote: { is: '“.*?”', say: quotedText },
  node: {
    is: `(?:${speaker}) (?:“.*?”|\\(no text\\))`,
    say: (text) => {
      const [, who = '', words = ''] = /^(\S+) (.*)$/s.exec(text) ?? [];
      return `${words === '(no text)' ? 'ohne Text' : quotedText(words)} (${speakersDe[who] ?? who})`;
    },
  },
  parts: { is: '.+?', say: (text) => partsOfLine(text) ?? text },
  messages: { is: '[\\d,]+ messages?', say: countedAs('Nachricht', 'Nachrichten') },
  tokens: { is: '[\\d,]+ tokens?', say: countedAs('Token', 'Token') },
  nodes: { is: '[\\d,]+ nodes?', say: countedAs('Knoten', 'Knoten') },
  lines: { is: '[\\d,]+ lines?', say: countedAs('Zeile', 'Zeilen') },
};

interface Rule {
  readonly fits: RegExp;
  readonly names: readonly string[];
  readonly german: string;
}

/** Compiles sentences to rules; those with more fixed text are tried first. */
function rulesOf(table: Readonly<Record<string, string>>, end: string): readonly Rule[] {
  return Object.entries(table)
    .toSorted(([a], [b]) => b.replace(/\{\w+\}/g, '').length - a.replace(/\{\w+\}/g, '').length)
    .map(([english, said]) => {
      const names = [...english.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const source = english
        .split(/\{\w+\}/)
        .map((words) => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .reduce((whole, words, at) => `${whole}(${places[names[at - 1] ?? '']?.is ?? '.+?'})${words}`);
      return { fits: new RegExp(`${source}(?=${end})`, 'sy'), names, german: said };
    });
}

function speakerIn({ fits, names, german: said }: Rule, text: string, from: number): [string, number] | null {
  fits.lastIndex = from;
  const found = fits.exec(text);
  if (found === null) return null;
  const values = names.map((name, at) => ({ name, text: places[name]?.say(found[at + 1] ?? '') ?? '' }));
  // Placeholders with the same name are filled in their order.
  const filled = said.replace(/\{(\w+)\}/g, (_, name: string) => {
    const at = values.findIndex((value) => value.name === name);
    return values.splice(at, 1)[0]?.text ?? '';
  });
  return [filled, from + found[0].length];
}

// Quoted text may look like the end of a sentence: rules that match to the very end are tried first.
const sentences = [
  ...rulesOf(
    Object.fromEntries(Object.entries(commandSentencesDe).filter(([english]) => !english.includes('{any}'))),
    '$',
  ),
  ...rulesOf(commandSentencesDe, '\\s|$'),
];
const partRules = rulesOf(partsDe, ', | and |$');

function firstMatch(rules: readonly Rule[], text: string, from: number): [string, number] | null {
  for (const rule of rules) {
    const said = speakerIn(rule, text, from);
    if (said !== null) return said;
  }
  return null;
}

/** A translated list of parts of an act; null if a part is unknown. */
function partsOfLine(text: string): string | null {
  const said: string[] = [];
  for (let at = 0; at < text.length; ) {
    const part = firstMatch(partRules, text, at);
    if (part === null) return null;
    said.push(part[0]);
    at = part[1] + (/^(?:, | and )/.exec(text.slice(part[1]))?.[0].length ?? 0);
  }
  return said.length < 2 ? (said[0] ?? null) : `${said.slice(0, -1).join(', ')} und ${said.at(-1)}`;
}

/** Translates output sentence by sentence; from the first unknown one on it stays English. */
export function germanSaid(text: string): Dictionary {
  const [, name, about = ''] = /^(\/[\w-]+): (.+)$/s.exec(text) ?? [];
  const explained = germanPhrase(about);
  if (explained !== null) return { said: `${name}: ${explained}` };
  const said: string[] = [];
  for (let at = 0; at < text.length; ) {
    const sentence = firstMatch(sentences, text, at);
    if (sentence === null) return { said: said.join(' '), english: text.slice(at) };
    said.push(sentence[0]);
    at = sentence[1] + (text[sentence[1]] === ' ' ? 1 : 0);
  }
  return { said: said.join(' ') };
}

const statusesDe: Readonly<Record<string, string>> = {
  pending: 'wird geschrieben',
  interrupted: 'abgebrochen',
  aborted: 'angehalten',
  error: 'Fehler',
};
const unitsDe: Readonly<Record<string, readonly [string, string]>> = {
  year: ['Jahr', 'Jahren'],
  month: ['Monat', 'Monaten'],
  day: ['Tag', 'Tagen'],
  hour: ['Stunde', 'Stunden'],
  minute: ['Minute', 'Minuten'],
};

function germanAge(age: string): string {
  const [, n = '', unit = ''] = /^([\d,]+) (\w+?)s? ago$/.exec(age) ?? [];
  const names = unitsDe[unit];
  if (names === undefined) return age === 'just now' ? 'gerade eben' : age;
  return `vor ${german(n)} ${numberOf(n) === 1 ? names[0] : names[1]}`;
}

const listLine = new RegExp(`^(\\s*\\d+\\. [│├└─⋮•*\\d ]*)(${speaker})(?: \\((\\w+)\\))?(?=$|[ :])`);
const contextLine = new RegExp(`^((?:–|\\d+\\.) +)([\\d,]+)( {2})(${speaker}|system-prompt|summary): `);

/** Translates a line of a command's list. */
export function germanLine(line: string): string {
  const whole = germanPhrase(line);
  if (whole !== null) return whole;
  const [, left = '', right = ''] = /^(.*\S {2,})(\S.*)$/.exec(line) ?? [];
  const about = germanPhrase(right);
  if (about !== null) return left + about;
  const more = /^([ │]*⋮ {2}|… )([\d,]+)( lines?)? more$/.exec(line);
  if (more !== null) return `${more[1]}${german(more[2] ?? '')} weitere${more[3] === undefined ? '' : ' Zeilen'}`;
  if (/^\[[█░]+\] [\d.]+ %$/.test(line)) return line.replace('.', ',');
  return line
    .replace(contextLine, (_, number: string, tokens: string, gap: string, who: string) => {
      const heads: Readonly<Record<string, string>> = { 'system-prompt': 'Systemprompt', summary: 'Zusammenfassung' };
      return `${number}${german(tokens)}${gap}${speakersDe[who] ?? heads[who] ?? who}: `;
    })
    .replace(listLine, (_, before: string, who: string, status: string | undefined) => {
      const state = status === undefined ? '' : ` (${statusesDe[status] ?? status})`;
      return `${before}${speakersDe[who] ?? who}${state}`;
    })
    .replace(
      / · ([\d,]+ messages?)(?:, ([\d,]+) of its own)? · (.+)$/,
      (_, n: string, own: string | undefined, age) => {
        const count = countedAs('Nachricht', 'Nachrichten')(n);
        return ` · ${count}${own === undefined ? '' : `, davon ${german(own)} nur hier`} · ${germanAge(String(age))}`;
      },
    )
    .replace(/ {2}← you are here$/, '  ← du bist hier');
}
