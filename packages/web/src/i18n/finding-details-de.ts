/** German translations of the details of import findings, by the English phrase with placeholders in braces. */

const findingDetailsDe: Readonly<Record<string, string>> = {
  'lines before the first run': 'Zeilen vor dem ersten Lauf',
  'nobody spoke': 'niemand hat etwas gesagt',
  'no conversation': 'kein Gespräch',
  'no task': 'keine Aufgabe',
  'no prompt': 'keine Frage',
  'the id of its thread': 'die Kennung des Gesprächs',
  'no line of Codex': 'keine Zeile von Codex',
  'no line of a rollout': 'keine Zeile eines Rollouts',
  'the header of the session it was forked from': 'der Kopf der Sitzung, von der es abgezweigt wurde',
  'a change of what is not there': 'eine Änderung an etwas, das nicht da ist',
  'no message and no session': 'keine Nachricht und keine Sitzung',
  'its session': 'seine Sitzung',
  'its tool calls': 'seine Werkzeugaufrufe',
  'no message of a tree': 'keine Nachricht eines Baums',
  'a part of a message that is not there': 'ein Teil einer Nachricht, die nicht da ist',
  'the message {}': 'die Nachricht {}',
  'a picture': 'ein Bild',
  'a block without an id': 'ein Block ohne Kennung',
  'a change that is none': 'eine Änderung, die keine ist',
  'a fold was opened': 'etwas Zusammengefaltetes wurde geöffnet',
  'a line without type': 'eine Zeile ohne Art',
  'a node without an id': 'ein Knoten ohne Kennung',
  'its data are no JSON': 'seine Daten sind kein JSON',
  'its header': 'sein Kopf',
  'its last commit is not complete': 'die letzte Änderung ist nicht vollständig',
  'its parent: the message before it': 'das Übergeordnete: die Nachricht davor',
  'its text is none of its swipe: both are kept, the text is current':
    'der Text ist keine seiner Varianten: beide sind behalten, der Text ist aktuell',
  'its id: it calls itself {}': 'die Kennung: es nennt sich selbst {}',
  'no address': 'keine Adresse',
  'no call above it': 'kein Aufruf darüber',
  'no call with messages': 'kein Aufruf mit Nachrichten',
  'no call {}': 'kein Aufruf {}',
  'no history': 'kein Verlauf',
  'no id or no type': 'keine Kennung oder keine Art',
  'no mapping': 'kein mapping',
  'no message': 'keine Nachricht',
  'no messages': 'keine Nachrichten',
  'no name': 'kein Name',
  'no node': 'kein Knoten',
  'no object': 'kein Objekt',
  'its record has words where this format has none': 'der Datensatz hat Text, wo dieses Format keinen hat',
  'its words are in unknown fields': 'der Text steht in unbekannten Feldern',
  'no message names its author': 'keine Nachricht nennt ihren Verfasser',
  'a record with an id outside the chain': 'ein Datensatz mit einer Kennung außerhalb der Kette',
  'the header of a session of another program': 'der Kopf einer Sitzung eines anderen Programms',
  'its id: it has no messageId': 'die Kennung: es gibt keine messageId',
  'no message has a messageId': 'keine Nachricht hat eine messageId',
  'no nested texts': 'keine verschachtelten Texte',
  'a line of Claude Code': 'eine Zeile von Claude Code',
  'no root': 'keine Wurzel',
  'no row of a message': 'keine Zeile einer Nachricht',
  'no topic': 'kein Thema',
  'no tree': 'kein Chat',
  'none of the messages that it kept is there': 'keine der Nachrichten, die es behielt, ist da',
  'outside any tree': 'außerhalb jedes Chats',
  'something follows the document': 'nach dem Ende folgt noch etwas',
  'the archive': 'das Archiv',
  'the archive breaks off': 'das Archiv bricht ab',
  'the conversation': 'das Gespräch',
  'the conversation breaks off': 'das Gespräch bricht ab',
  'the end of what it folds is not there': 'das Ende dessen, was es zusammenfaltet, fehlt',
  'the file breaks off': 'die Datei bricht ab',
  'the file breaks off here': 'die Datei bricht hier ab',
  'the question {} is not before it': 'die Frage {} steht nicht davor',
  'messages that are still a list; open the session once, then import it':
    'Nachrichten, die noch eine Liste sind; öffne die Sitzung einmal und importiere sie dann',
  'it says something else here': 'hier sagt es etwas anderes',
  'it says something else there now': 'dort sagt es jetzt etwas anderes',
  'it says something else there now; it was edited here': 'dort sagt es jetzt etwas anderes; hier wurde es bearbeitet',
  'only what is beside its text': 'nur das neben dem Text',
  'only what is beside its text; it was edited here': 'nur das neben dem Text; hier wurde es bearbeitet',
  '{} messages': '{} Nachrichten',
  '{} of them': '{} davon',
  '{} lines are in another file too': '{} Zeilen stehen auch in einer anderen Datei',
  '{} listed, {} there': '{} genannt, {} da',
  'message {} has the field {}, and this format has no branches':
    'Nachricht {} hat das Feld {}, und dieses Format hat keine Zweige',
  'nothing of {} in it': 'nichts von {} darin',
  '{} became {}': '{} wurde zu {}',
  '{} is not in roots.json': '{} steht nicht in roots.json',
  '{} results without a call': '{} Ergebnisse ohne Aufruf',
  '{} blocks of no message': '{} Blöcke, die zu keiner Nachricht gehören',
  'attachment {}': 'Anhang {}',
  'block {}': 'Block {}',
  'bookmark {} on {}': 'Lesezeichen {} auf {}',
  'generation {}': 'Erzeugung {}',
  'goes on from {}': 'setzt {} fort',
  'id {}': 'Kennung {}',
  'item {}': 'Eintrag {}',
  'no block': 'kein Block',
  'no entry': 'kein Eintrag',
  'no part': 'kein Teil',
  'no role': 'keine Rolle',
  'no sender': 'kein Absender',
  'entry {}': 'Eintrag {}',
  'parent {}': 'Übergeordnetes {}',
  'part {}': 'Teil {}',
  'role {}': 'Rolle {}',
  'root {}': 'Wurzel {}',
  'sender {}': 'Absender {}',
};

const exact: ReadonlyMap<string, string> = new Map(Object.entries(findingDetailsDe));

// Phrases with more fixed text first: a placeholder matches anything.
const patterns = Object.entries(findingDetailsDe)
  .filter(([english]) => english.includes('{}'))
  .toSorted(([a], [b]) => b.length - a.length)
  .map(([english, german]) => {
    const words = english.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return { fits: new RegExp(`^${words.join('(.+?)')}$`, 's'), german };
  });

/** A detail in German; null if it is not a known phrase, for example a name or a parser's message. */
export function germanDetail(detail: string): string | null {
  const known = exact.get(detail);
  if (known !== undefined) return known;
  for (const { fits, german } of patterns) {
    const [, ...values] = fits.exec(detail) ?? [];
    if (values.length > 0) return german.replaceAll('{}', () => values.shift() ?? '');
  }
  return null;
}
