/** German words for what commands report, by code; a name in braces stands for a value of the data. */
import type { CommandAnswer, CommandPhrase } from '@coppice/client';
import { commandWordsDe } from './command-words-de.ts';
import type { Dictionary } from './dictionary.ts';
import { germanUsage } from './names-de.ts';

export const commandSentencesDe: Readonly<Record<string, string>> = {
  text: '{text}',
  'already-there': 'Du bist schon dort.',
  'already-above': 'Du bist schon direkt über {node}.',
  'hook-moved-to-beginning': 'Ein Hook hat dich stattdessen an den Anfang geführt.',
  'hook-moved': 'Ein Hook hat dich stattdessen zu {node} geführt.',
  'moved-to-new-beginning': 'Am Anfang: deine nächste Nachricht beginnt einen neuen Zweig.',
  'text-in-editor': 'Der Text {words} steht im Eingabefeld.',
  'summary-precedes': 'Eine Zusammenfassung des verlassenen Zweigs steht vor deiner nächsten Nachricht.',
  'moved-before': 'Jetzt vor {node}; der Text steht im Eingabefeld.',
  'moved-to-beginning': 'Am Anfang.',
  moved: 'Jetzt bei {node}.',
  'branch-continues': '{count} Zweig geht von dort weiter; deine nächste Nachricht beginnt einen weiteren.',
  'branches-continue': '{count} Zweige gehen von dort weiter; deine nächste Nachricht beginnt einen weiteren.',
  'copied-all': 'Alle Zweige sind in einen neuen Chat kopiert.',
  'copied-all-to-file': 'Alle Zweige sind in eine neue Datei kopiert: {file}.',
  'started-again': 'Neu begonnen in einem neuen Chat.',
  'started-again-in-file': 'Neu begonnen in einer neuen Datei: {file}.',
  'continues-after': 'Geht nach {node} in einem neuen Chat weiter.',
  'continues-after-in-file': 'Geht nach {node} in einer neuen Datei weiter: {file}.',
  'continues-before': 'Geht vor {node} in einem neuen Chat weiter.',
  'continues-before-in-file': 'Geht vor {node} in einer neuen Datei weiter: {file}.',
  'its-text-in-editor': 'Der Text steht im Eingabefeld.',
  'original-unchanged': 'Der ursprüngliche Chat ist unverändert.',
  undid: 'Rückgängig gemacht: {parts}.',
  redid: 'Wiederhergestellt: {parts}.',
  'merged-as-summary': 'Der Zweig, der mit {node} endet, ist als Zusammenfassung eingefügt.',
  'merged-as-messages': 'Der Zweig, der mit {node} endet, ist eingefügt: {messages}.',
  'copied-message': 'Ans Ende dieses Zweigs kopiert: {node}.',
  'copied-messages': 'Ans Ende dieses Zweigs kopiert: {messages}.',
  compacted: '{messages} durch eine Zusammenfassung ersetzt: das Modell bekommt jetzt etwa {tokens} statt {before}.',
  'nothing-deleted': 'Nichts wurde gelöscht.',
  'model-sees': 'Das Modell sieht {messages}, etwa {tokens}.',
  'model-sees-unknown-window': 'Das Modell sieht {messages}, etwa {tokens}; das Fenster von {model} ist nicht bekannt.',
  'model-sees-until':
    '{model} sieht {messages}, etwa {tokens}: {used} des Fensters von {window}; noch {left}, bis ältere Nachrichten zusammengefasst werden.',
  'model-sees-full':
    '{model} sieht {messages}, etwa {tokens}: {used} des Fensters von {window}; es ist Zeit für /compact.',
  'nodes-in-conversation': '{nodes} im Chat, {lines} gezeigt.',
  'nodes-from-there': '{nodes} von dort an, {lines} gezeigt.',
  'lines-not-shown': '{lines} nicht gezeigt: nenne eine Nachricht, oder setze --limit.',
  'no-branch': 'Es gibt noch keinen Zweig: der Chat ist leer.',
  'one-branch': 'Es gibt einen Zweig.',
  branches: 'Es gibt {count} Zweige.',
  'branches-newest': 'Es gibt {count} Zweige; die neuesten {shown} sind aufgezählt.',
  'branch-written': 'Der Zweig von {node} ist in {file} geschrieben.',
  'commands-listed': 'Es gibt {count} Befehle. /help <Befehl> erklärt einen.',
  'command-explained': '/{command}: {summary}',
  'no-labels': 'Es gibt keine Lesezeichen.',
  'one-label': 'Es gibt ein Lesezeichen.',
  labels: 'Es gibt {count} Lesezeichen.',
  'has-no-label': '{node} hat kein Lesezeichen.',
  'is-labelled': '{node} hat das Lesezeichen {label}.',
  'had-no-label': 'Nichts zu tun: {node} hat kein Lesezeichen.',
  'was-labelled': 'Nichts zu tun: {node} hat das Lesezeichen {label} schon.',
  'label-removed': 'Das Lesezeichen {label} ist von {node} entfernt.',
  labelled: '{node} hat jetzt das Lesezeichen {label}.',
  relabelled: '{node} hat jetzt das Lesezeichen {label}, vorher {before}.',
  'no-model': 'Kein Modell wurde gewählt, und hier ist keines bekannt.',
  'model-by-set': 'Dieser Zweig verwendet {model}: es wurde auf diesem Zweig gesetzt.',
  'model-by-reply': 'Dieser Zweig verwendet {model}: es schrieb hier die letzte Antwort.',
  'model-by-tree': 'Dieser Zweig verwendet {model}: es wurde für den ganzen Chat gesetzt.',
  'model-by-default': 'Dieser Zweig verwendet {model}: es ist voreingestellt.',
  'model-same': 'Dieser Zweig verwendet schon {model}.',
  'model-set': 'Dieser Zweig verwendet {model}.',
  'model-set-instead': 'Dieser Zweig verwendet {model} statt {before}.',
  'model-not-ready': 'Es ist noch nicht bereit: {missing}',
  'no-title': 'Der Chat hat keinen Titel.',
  'title-is': 'Der Chat heißt {title}.',
  'title-set': 'Der Chat heißt jetzt {title}.',
  'title-same': 'Nichts zu tun: das ist schon der Titel.',
  'title-removed': 'Der Titel des Chats ist entfernt.',
  'part-messages': '{messages}',
  'part-messages-with-words': '{messages} ({words})',
  'part-summaries': '{summaries}',
  'part-compactions': '{compactions}',
  'part-injected': '{injected}',
  'part-states': '{states}',
  'part-added': 'was hinzugefügt wurde',
  'part-deletion': 'eine Löschung',
  'part-restored': 'ein wiederhergestellter Teil',
  'part-move': 'eine Verschiebung',
  'part-text': 'eine Änderung des Textes',
  'part-label': 'das Lesezeichen {label}',
  'part-some-label': 'ein Lesezeichen',
  'part-title': 'der Titel',
  'part-some-title': 'ein Titel',
  'part-model': 'das Modell',
  'part-branch-model': 'das Modell des Zweigs',
  'part-tags': 'die Schlagwörter',
  'part-some-tags': 'Schlagwörter',
  'part-folder': 'der Ordner',
  'part-pin': 'die Anheftung',
  'part-trash': 'der Weg in den Papierkorb',
  'part-property': 'eine Eigenschaft des Baums',
  'part-note': 'eine Notiz',
  'part-group': 'eine Gruppe von Varianten',
  'part-none': 'eine Änderung ohne bleibende Wirkung',
  speaker: '{who}',
  'speaker-with-status': '{who} ({status})',
  'messages-on-branch': '{messages}',
  'messages-on-branch-own': '{messages}, davon {own} nur hier',
  age: '{age}',
  more: '{count} weitere',
  'lines-more': '{lines} mehr',
  here: '← du bist hier',
  amount: '{count}',
  share: '{used}',
  'command-summary': '{text}',
  'command-argument': '{text}',
  'command-example': '{text}',
  'position-here': 'die aktuelle Nachricht',
  'position-start': 'vor der ersten Nachricht',
};

/** Roles, kinds of markers and statuses. */
const wordsDe: Readonly<Record<string, string>> = {
  user: 'du',
  assistant: 'Modell',
  system: 'System',
  tool: 'Werkzeug',
  'branch-summary': 'Zusammenfassung',
  compaction: 'Verdichtung',
  injected: 'eingefügt',
  state: 'Zustand',
  'system-prompt': 'Systemprompt',
  summary: 'Zusammenfassung',
  pending: 'wird geschrieben',
  interrupted: 'abgebrochen',
  aborted: 'angehalten',
  error: 'Fehler',
};

export const unitsDe: Readonly<Record<string, readonly [string, string]>> = {
  message: ['Nachricht', 'Nachrichten'],
  token: ['Token', 'Token'],
  node: ['Knoten', 'Knoten'],
  line: ['Zeile', 'Zeilen'],
  summary: ['Zusammenfassung eines Zweigs', 'Zusammenfassungen von Zweigen'],
  compaction: ['Verdichtung', 'Verdichtungen'],
  injected: ['eingefügte Nachricht', 'eingefügte Nachrichten'],
  state: ['Zustand einer Erweiterung', 'Zustände von Erweiterungen'],
};

const timesDe: Readonly<Record<string, readonly [string, string]>> = {
  year: ['Jahr', 'Jahren'],
  month: ['Monat', 'Monaten'],
  day: ['Tag', 'Tagen'],
  hour: ['Stunde', 'Stunden'],
  minute: ['Minute', 'Minuten'],
};

const numbers = new Intl.NumberFormat('de');

function namedIn<T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
}

function countedDe(count: number, [one, many]: readonly [string, string]): string {
  return `${numbers.format(count)} ${count === 1 ? one : many}`;
}

/** A value of a phrase in German; null if its kind is unknown, for example of a newer server. */
function germanValue(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numbers.format(value);
  if (typeof value !== 'object' || value === null) return null;
  if ('quote' in value) return `„${String(value.quote)}“`;
  if ('who' in value && 'words' in value) {
    const who = namedIn(wordsDe, value.who) ?? String(value.who);
    return `${value.words === null ? 'ohne Text' : `„${String(value.words)}“`} (${who})`;
  }
  if ('word' in value) return namedIn(wordsDe, value.word) ?? String(value.word);
  if ('share' in value && typeof value.share === 'number') {
    const digits = value.share < 0.1 ? 1 : 0;
    return `${(value.share * 100).toFixed(digits).replace('.', ',')} %`;
  }
  const unit = 'unit' in value ? value.unit : undefined;
  if ('count' in value && typeof value.count === 'number') {
    const names = namedIn(unitsDe, unit);
    return names === undefined ? null : countedDe(value.count, names);
  }
  if ('ago' in value && typeof value.ago === 'number') {
    const names = namedIn(timesDe, unit);
    return names === undefined ? 'gerade eben' : `vor ${countedDe(value.ago, names)}`;
  }
  return 'parts' in value && Array.isArray(value.parts) ? joinDe(value.parts) : null;
}

function joinDe(parts: readonly unknown[]): string | null {
  const said = parts.map((part) => (isPhrase(part) ? germanPhrase(part) : null));
  if (said.includes(null)) return null;
  return said.length < 2 ? (said[0] ?? '') : `${said.slice(0, -1).join(', ')} und ${said.at(-1)}`;
}

function isPhrase(value: unknown): value is CommandPhrase {
  return typeof value === 'object' && value !== null && 'code' in value && 'data' in value;
}

/** The German words of a phrase; null if its code or one of its values is unknown. */
export function germanPhrase({ code, data }: CommandPhrase): string | null {
  const own = ownWords(code, data);
  if (own !== null) return own;
  const template = namedIn(commandSentencesDe, code);
  if (template === undefined) return null;
  let isKnown = true;
  const said = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = germanValue(data[name]);
    isKnown &&= value !== null;
    return value ?? '';
  });
  return isKnown ? said : null;
}

/** The words of a built-in command, by its name. */
function ownWords(code: string, { command, argument, example }: CommandPhrase['data']): string | null {
  const words = namedIn(commandWordsDe, command);
  if (words === undefined) return null;
  if (code === 'command-summary') return words.summary;
  if (code === 'command-argument') return namedIn(words.arguments ?? {}, argument) ?? null;
  return code === 'command-example' && typeof example === 'number' ? (words.examples[example] ?? null) : null;
}

/** What a command reports, in German if every sentence is known; an added command has no codes. */
export function germanReport({ said, did = [] }: Pick<CommandAnswer, 'said' | 'did'>): Dictionary {
  const sentences = did.map(germanPhrase);
  return sentences.length === 0 || sentences.includes(null)
    ? { said: '', english: said }
    : { said: sentences.join(' ') };
}

/** The lines of a command's list in German; a line with something unknown stays English. */
export function germanLines({ text = '', lines }: Pick<CommandAnswer, 'text' | 'lines'>): readonly string[] {
  const english = text.split('\n');
  if (lines === undefined) return english;
  return lines.map((line, at) => {
    const isArgument = line.some((part) => typeof part !== 'string' && part.code === 'command-argument');
    const parts = line.map((part) => {
      if (typeof part !== 'string') return germanPhrase(part);
      return isArgument ? germanUsage(part).padEnd(part.length) : part;
    });
    return parts.includes(null) ? (english[at] ?? '') : parts.join('');
  });
}
