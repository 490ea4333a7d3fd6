/** German error messages, by code. */

/**
 * The messages. Placeholders in braces are filled from the error's data; of several messages the first one is used
 * whose placeholders can all be filled. After one that ends in a colon the server's own message follows, which has
 * more details.
 */
export const refusalsDe: Readonly<Record<string, string | readonly string[]>> = {
  'keys/unreadable': 'Die gespeicherten Schlüssel lassen sich nicht lesen:',
  'keys/configured': 'Das ist in der Konfiguration oder der Umgebung festgelegt und wird dort geändert:',
  'keys/unknown': 'Diese Verbindung wurde hier nicht angelegt.',
  'keys/address': 'Adressen dieses Computers und privater Netze kommen aus der Konfiguration des Betreibers.',
  'keys/needed': 'Es fehlt noch etwas:',
  'keys/invalid': 'So lässt sich das nicht speichern:',
  'tree/unknown-node': ['Die Nachricht {nodeId} gibt es hier nicht.', 'Diese Nachricht gibt es hier nicht.'],
  'tree/unknown-tree': ['Den Chat {treeId} gibt es nicht.', 'Diesen Chat gibt es nicht.'],
  'tree/unknown-version': 'Diesen Stand des Chats gibt es nicht.',
  'tree/root-protected': 'Das geht mit der Wurzel eines Chats nicht:',
  'tree/cycle': 'Eine Nachricht kann nicht unter sich selbst hängen.',
  'tree/foreign-parent': 'Diese Nachricht gehört zu einem anderen Chat.',
  'tree/broken-path': 'Eine Nachricht auf diesem Weg fehlt:',
  'tree/not-on-path': 'Diese Nachricht liegt nicht auf diesem Zweig.',
  'tree/version-conflict': 'Jemand anders war schneller: der Chat hat sich inzwischen geändert.',
  'tree/version-required': 'Die Seite muss sagen, welchen Stand des Chats sie gesehen hat: lade sie neu.',
  'tree/pending': 'Hier wird noch eine Antwort geschrieben: halte sie zuerst an oder warte auf sie.',
  'tree/has-references': 'Darauf verweist noch etwas anderes:',
  'tree/read-only': 'Dieser Chat kann nicht geändert werden:',
  'tree/branching-off': 'In diesem Chat wird nicht verzweigt.',
  'tree/position-taken': 'An dieser Stelle steht inzwischen etwas anderes.',
  'tree/exists': 'Diesen Chat gibt es schon:',
  'tree/invalid': 'Das ist kein Chat, der sich lesen lässt:',
  'step/invalid': 'Diese Änderung passt nicht zum Chat:',
  'command/invalid': 'Das lässt sich so nicht ausführen:',
  'message/blank': 'Die Nachricht sagt nichts.',
  'message/invalid': 'So kann die Nachricht nicht lauten:',
  'message/not-joinable':
    'Verbinden lässt sich nur einfacher Text mit der einzigen Nachricht darunter, wenn beide dieselbe Rolle haben.',
  'message/not-splittable': 'Teilen lässt sich nur einfacher Text, der von dir oder einem Modell stammt.',
  'message/bad-position': 'An dieser Stelle lässt sich der Text nicht teilen.',
  'message/has-tool-use': 'Die Nachricht ruft ein Werkzeug auf: bearbeite sie als neue Variante.',
  'message/is-tool': 'Das Ergebnis eines Werkzeugs lässt sich nicht bearbeiten.',
  'cursor/invalid': 'Diese Liste lässt sich nicht weiterlesen: öffne sie neu.',
  'id/invalid': 'Das ist keine gültige Kennung:',
  'id/taken': 'Diese Kennung ist schon vergeben.',
  'undo/nothing': 'Es gibt nichts von dir, das sich zurücknehmen oder wiederholen lässt.',
  'undo/overtaken': 'Andere haben das inzwischen geändert; es lässt sich nicht mehr zurücknehmen.',
  'undo/purged': 'Was damit zurückkäme, wurde endgültig gelöscht.',
  'context/full': [
    'Der Chat füllt das Kontextfenster von {model} ({window} Tokens): fass ältere Nachrichten zusammen, zweige früher ab oder nimm ein Modell mit größerem Fenster.',
    'Der Chat füllt das Kontextfenster des Modells: fass ältere Nachrichten zusammen, zweige früher ab oder nimm ein Modell mit größerem Fenster.',
  ],
  'context/nothing-to-compact': 'Es gibt nichts zusammenzufassen.',
  'store/damaged': 'Was gespeichert ist, ist beschädigt und wurde gelassen, wie es ist:',
  'store/newer': 'Das hat eine neuere Fassung des Programms gespeichert: öffne es mit dieser.',
  'store/full':
    'Auf dem Datenträger ist kein Platz mehr: nichts wurde gespeichert. Schaffe Platz und versuche es noch einmal.',
  'store/locked': 'Ein anderes Programm schreibt gerade hier:',
  'store/unavailable': 'Der Speicher ist gerade nicht erreichbar:',
  'generate/tools-need-one': 'Mit Werkzeugen kann nur eine Antwort auf einmal verlangt werden.',
  'generate/tool-limit': 'Diese Antwort hat Werkzeuge so oft oder so lange benutzt, wie sie darf.',
  'generate/budget': [
    'Das Budget {budget} von {limit} lässt keine Antwort mehr zu: erhöhe es in [budgets] oder nimm ein billigeres Modell.',
    'Das Budget lässt keine Antwort mehr zu:',
  ],
  'generate/invalid': 'Darauf kann nicht geantwortet werden:',
  'generate/not-continuable': 'Diese Antwort lässt sich nicht fortsetzen: lass sie neu schreiben.',
  'generate/not-combinable':
    'Diese Nachrichten lassen sich nicht kombinieren: wähle fertige Antworten auf dieselbe Nachricht.',
  'generate/lost': 'Das Programm, das diese Antwort schrieb, ist nicht mehr da; was angekommen war, wurde behalten.',
  'generate/closed': 'Die Antwort wurde abgeschnitten, weil der Server angehalten wurde.',
  'generate/empty': 'Die Antwort endete, ohne etwas zu sagen.',
  'generate/aborted': 'Das wurde angehalten.',
  'generate/internal': 'Beim Antworten ging etwas schief, womit niemand gerechnet hat:',
  'provider/aborted': 'Die Antwort wurde angehalten.',
  'provider/unknown': 'Diesen Anbieter gibt es hier nicht:',
  'provider/unknown-model': 'Dieses Modell kennt der Anbieter nicht:',
  'provider/no-key': 'Der Anbieter braucht einen Schlüssel:',
  'provider/unauthorised': 'Der Anbieter nimmt den Schlüssel nicht an:',
  'provider/quota': 'Beim Anbieter ist das Guthaben oder das Kontingent verbraucht:',
  'provider/rejected': 'Der Anbieter hat die Anfrage abgelehnt:',
  'provider/context-overflow': 'Das Gespräch ist für das Fenster des Modells zu lang:',
  'provider/content-filter': 'Der Anbieter hat die Antwort zurückgehalten:',
  'provider/redirected': 'Der Anbieter ist umgezogen:',
  'provider/foreign-host': 'Der Schlüssel wird nicht an eine fremde Adresse gesendet:',
  'provider/unreachable': 'Der Anbieter ist nicht zu erreichen:',
  'provider/timeout': 'Der Anbieter hat zu lange nicht geantwortet:',
  'provider/dropped': 'Die Verbindung zum Anbieter brach ab, bevor die Antwort vollständig war.',
  'provider/rate-limited': 'Der Anbieter will gerade nicht so oft gefragt werden:',
  'provider/overloaded': 'Der Anbieter ist überlastet:',
  'provider/failed': 'Beim Anbieter ging etwas schief:',
  'provider/bad-response': 'Der Anbieter hat etwas geschickt, das keine Antwort ist:',
  'provider/too-large': 'Die Antwort des Anbieters ist größer, als sie sein darf.',
  'provider/internal': 'Beim Fragen des Anbieters ging etwas schief, womit niemand gerechnet hat:',
  'tool/unknown': ['Das Werkzeug {name} gibt es nicht.', 'Dieses Werkzeug gibt es nicht.'],
  'tool/bad-arguments': [
    'Das Werkzeug {name} versteht diese Angaben nicht:',
    'Das Werkzeug versteht diese Angaben nicht:',
  ],
  'tool/bad-schema': ['Das Werkzeug {name} beschreibt sich falsch:', 'Das Werkzeug beschreibt sich falsch:'],
  'tool/bad-name': 'So kann ein Werkzeug nicht heißen: ein Name hat 1 bis 64 Buchstaben, Ziffern, _ oder -.',
  'tool/exists': ['Ein Werkzeug {name} gibt es schon.', 'Dieses Werkzeug gibt es schon.'],
  'tool/not-approved': ['Der Aufruf von {name} wurde nicht erlaubt.', 'Der Aufruf des Werkzeugs wurde nicht erlaubt.'],
  'tool/timeout': ['Das Werkzeug {name} hat zu lange gebraucht.', 'Das Werkzeug hat zu lange gebraucht.'],
  'tool/aborted': ['Der Aufruf von {name} wurde angehalten.', 'Der Aufruf des Werkzeugs wurde angehalten.'],
  'tool/failed': 'Das Werkzeug ist fehlgeschlagen:',
  'tool/unavailable': ['Der MCP-Server {server} ist nicht da:', 'Das Werkzeug ist nicht da:'],
  'tool/changed': [
    'Das Werkzeug {name} ist nicht mehr, was es war, als es erlaubt wurde: erlaube es noch einmal.',
    'Das Werkzeug ist nicht mehr, was es war, als es erlaubt wurde: erlaube es noch einmal.',
  ],
  'tool/cut-off': 'Die Antwort wurde abgeschnitten; ihre Werkzeuge wurden nicht ausgeführt.',
  'mcp/unknown-server': 'Diesen MCP-Server gibt es nicht:',
  'mcp/unknown-tool': ['Ein Werkzeug oder einen Server {name} gibt es nicht.', 'Dieses Werkzeug gibt es nicht.'],
  'mcp/changed-again': [
    'Das Werkzeug {tool} von {server} ist nicht mehr das, was gezeigt wurde: sieh es dir noch einmal an.',
    'Das Werkzeug ist nicht mehr das, was gezeigt wurde: sieh es dir noch einmal an.',
  ],
  'mcp/pins': 'Welche Werkzeuge erlaubt wurden, lässt sich nicht lesen:',
  'mcp/closed': 'Die Verbindung zu MCP-Servern ist geschlossen.',
  'mcp/failed': 'Der MCP-Server tut nicht, was er soll:',
  'command/unknown': [
    'Den Befehl /{name} gibt es nicht. Meinst du /{meant}?',
    'Den Befehl /{name} gibt es nicht; /help nennt alle.',
    'Nenne einen Befehl, etwa /help.',
  ],
  'command/bad-arguments': ['Der Befehl /{command} versteht das nicht:', 'Der Befehl versteht das nicht:'],
  'command/no-such-node': 'Diese Nachricht gibt es nicht:',
  'command/ambiguous': 'Das steht für mehrere Nachrichten:',
  'command/unavailable': 'Diesen Befehl gibt es hier nicht:',
  'import/unknown-format': 'Darin ist kein Gespräch in einem Format, das hier gelesen oder geschrieben wird:',
  'import/unreadable': 'Die Datei lässt sich nicht lesen:',
  'import/too-large': 'Das ist mehr, als auf einmal gelesen werden darf:',
  'import/unsafe-archive': ['{name} wird nicht ausgepackt, denn es ist nicht sicher:', 'Das Archiv ist nicht sicher:'],
  'import/strict': 'Nichts wurde importiert, denn etwas müsste ausgebessert oder weggelassen werden:',
  'import/newer': 'Das hat eine neuere Fassung eines Programms geschrieben:',
  'import/damaged': ['{name} ist beschädigt:', 'Die Datei ist beschädigt:'],
  'import/no-writer': 'Dieses Format wird hier nur gelesen, nicht geschrieben.',
  'import/aborted': 'Import oder Export wurde angehalten.',
  'import/thread-ended':
    'Der Import endete, bevor er fertig war. Was schon da ist, ist ganz; derselbe Import noch einmal bringt den Rest.',
  'http/invalid': 'Der Server versteht die Anfrage nicht:',
  'http/unauthorized': 'Der Server kennt dich nicht: öffne die Adresse, die er beim Start genannt hat.',
  'http/forbidden': 'Das darfst du hier nicht:',
  'http/forbidden-host': 'Der Server antwortet nicht unter diesem Namen.',
  'http/forbidden-origin': 'Seiten anderer Adressen dürfen hier nichts ändern.',
  'http/not-found': 'Das gibt es nicht:',
  'http/method': 'Das wird hier nicht angeboten.',
  'http/too-slow': 'Das Hochladen hat zu lange gestockt.',
  'http/too-large': [
    'Mehr als {most} Bytes nimmt der Server auf einmal nicht an.',
    'Das ist mehr, als der Server auf einmal annimmt.',
  ],
  'http/media-type': 'Der Server nimmt das in dieser Form nicht an:',
  'http/range': 'Diesen Teil gibt es nicht.',
  'http/too-many': 'Das ist gerade zu viel auf einmal:',
  'http/closing': 'Der Server wird gerade angehalten.',
  'http/internal': 'Im Server ging etwas schief; sein Protokoll sagt, was.',
};

const sentences: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(refusalsDe).map(([code, said]) => [code, typeof said === 'string' ? [said] : said]),
);
const numbers = new Intl.NumberFormat('de');
const places = /\{(\w+)\}/g;

/** Fills the placeholders of a message; null if the data lack a value. */
function fillRefusal(sentence: string, data: Readonly<Record<string, unknown>>): string | null {
  let whole = true;
  const text = sentence.replace(places, (_, name: string) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (typeof value === 'number') return numbers.format(value);
    if (typeof value === 'string' && value !== '') return value;
    whole = false;
    return '';
  });
  return whole ? text : null;
}

/** An error in German, and the server's own message if it has more details; null for an unknown code. */
export function germanRefusal(refusal: {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}): { readonly said: string; readonly english: string } | null {
  for (const sentence of sentences.get(refusal.code) ?? []) {
    const said = fillRefusal(sentence, refusal.data);
    if (said === null) continue;
    if (!said.endsWith(':')) return { said, english: '' };
    return refusal.message === '' ? { said: `${said.slice(0, -1)}.`, english: '' } : { said, english: refusal.message };
  }
  return null;
}
