/** German texts of import findings, by code. */
import type { ImportFindingCode } from '@coppice/content/formats';
import { germanDetail } from './finding-details-de.ts';
import { germanRefusal } from './refusals-de.ts';

export const findingsDe: Readonly<Record<ImportFindingCode, string>> = {
  'import/orphan': 'das Übergeordnete fehlt: unter die Wurzel gehängt',
  'import/cycle': 'das Übergeordnete läuft im Kreis: aufgetrennt und unter die Wurzel gehängt',
  'import/self-parent': 'es nennt sich selbst als Übergeordnetes: unter die Wurzel gehängt',
  'import/duplicate': 'zweimal derselbe Eintrag: einmal behalten',
  'import/duplicate-id': 'ein anderer Eintrag hat seine Kennung: unter einer eigenen behalten',
  'import/several-roots': 'mehr als eine erste Nachricht, wo das Format eine hat',
  'import/forward-parent': 'das Übergeordnete kommt später in der Datei',
  'import/children-mismatch': 'eine Liste von Kindern passt nicht zu den Übergeordneten: diesen wurde geglaubt',
  'import/active-missing': 'die aktuelle Nachricht fehlt: die neueste ist aktuell',
  'import/active-inferred': 'die Datei sagt nicht, welche Nachricht aktuell ist: die neueste ist es',
  'import/pointer-missing': 'es zeigt auf eine Nachricht, die fehlt: der Verweis wurde weggelassen',
  'import/blank-message': 'eine Nachricht, die nichts sagt: als Marke behalten',
  'import/message-unreadable': 'eine Nachricht, die hier keine sein kann: als Marke mit ihrem Eintrag behalten',
  'import/record-unreadable': 'ein Eintrag, der sich nicht lesen lässt: weggelassen',
  'import/record-too-large':
    'ein Eintrag, der größer oder tiefer ist, als behalten werden darf: seine wörtliche Abschrift wurde weggelassen',
  'import/unknown-type': 'eine Art, die diese Fassung nicht kennt: behalten, wie sie ist',
  'import/skipped': 'kein Gespräch: weggelassen',
  'import/other-format': 'hat die Form eines anderen Formats: weggelassen',
  'import/bad-line': 'eine Zeile, die kein JSON ist: weggelassen',
  'import/bad-text': 'Bytes, die kein UTF-8 sind: als U+FFFD gezeigt',
  'import/duplicate-key': 'ein Objekt hat einen Schlüssel zweimal: der letzte Wert wurde behalten',
  'import/number-rounded': 'eine Zahl, die mit anderen Ziffern zurückgeschrieben würde',
  'import/time-unreadable': 'eine Zeit, die sich nicht lesen lässt: weggelassen',
  'import/attachment-missing': 'ein Anhang, dessen Bytes nicht in der Datei sind: mit seinem Namen behalten',
  'import/attachment-unused': 'eine Datei, auf die keine Nachricht verweist: weggelassen',
  'import/tool-pairing': 'ein Werkzeugaufruf oder ein Ergebnis ohne Gegenstück',
  'import/inferred': 'etwas, das die Datei nicht sagt, wurde ergänzt',
  'import/merged': 'mehrere Einträge wurden zu einer Nachricht',
  'import/checksum': 'die Prüfsumme passt nicht: unterwegs wurde etwas geändert oder ging verloren',
  'import/in-trash': 'das Gespräch liegt im Papierkorb: nichts wurde hinzugefügt',
  'import/parent-removed': 'woran es hängt, wurde hier gelöscht: weggelassen',
  'import/differs': 'der Eintrag ist anders als der früher importierte: unserer wurde behalten',
  'import/refused': 'der Speicher hat das Gespräch abgelehnt',
  'import/unsafe-name': 'ein Name im Archiv, der aus ihm hinausführt: weggelassen',
};

const meanings: ReadonlyMap<string, string> = new Map(Object.entries(findingsDe));

/**
 * A finding in German with its details; `english` is true if the details stay untranslated, being names or foreign
 * text. Null for an unknown code.
 */
export function germanFinding(finding: {
  readonly code: string;
  readonly place: string;
  readonly data: { readonly detail?: string; readonly refusal?: Parameters<typeof germanRefusal>[0] };
}): { readonly said: string; readonly detail: string; readonly english: boolean } | null {
  const meaning = meanings.get(finding.code);
  if (meaning === undefined) return null;
  const { detail = '', refusal } = finding.data;
  // An error of the store has its own code and translation.
  const refused = refusal === undefined ? null : germanRefusal(refusal);
  if (refusal !== undefined && refused === null)
    return { said: `${finding.place}: ${meaning}`, detail: refusal.message, english: true };
  if (refused !== null)
    return {
      said: `${finding.place}: ${meaning}`,
      detail: [refused.said, refused.english].filter((part) => part !== '').join(' '),
      english: false,
    };
  const german = germanDetail(detail);
  return { said: `${finding.place}: ${meaning}`, detail: german ?? detail, english: german === null };
}
