/** What commands are for, what they take and what examples of them do, in German: by the English phrase. */

/** Each phrase of a command that is built in. */
export const commandPhrasesDe: Readonly<Record<string, string>> = {
  'Goes back to try something else, in a new conversation or file that holds the way there and nothing else.':
    'Geht zurück, um etwas anderes zu versuchen: in einem neuen Gespräch, das nur den Weg dorthin enthält.',
  'Where the new one goes on; before your last message if not given.':
    'Wo das neue weitergeht; ohne Angabe vor deiner letzten Nachricht.',
  'takes your last message back, to be said otherwise elsewhere':
    'nimmt deine letzte Nachricht zurück, um sie anderswo anders zu sagen',
  'goes on from the third node of the last list': 'geht von der dritten Nachricht der letzten Liste weiter',
  'Goes back to try something else from a node; without one, from before your last message.':
    'Geht zurück, um von einer Nachricht aus etwas anderes zu versuchen; ohne Angabe von vor deiner letzten.',
  'Where the new branch begins; your last message if not given.':
    'Wo der neue Zweig beginnt; ohne Angabe bei deiner letzten Nachricht.',
  'Leaves a summary of the branch that you leave, with a focus if you name one.':
    'Hinterlässt eine Zusammenfassung des Zweigs, den du verlässt, mit einem Schwerpunkt, wenn du einen nennst.',
  'takes your last message back, to be said otherwise': 'nimmt deine letzte Nachricht zurück, um sie anders zu sagen',
  'goes on from the third node, knowing what came of the rest':
    'geht von der dritten Nachricht weiter und weiß, was aus dem Rest wurde',
  'Lists the branches of the conversation, newest first, and which one you are on.':
    'Zählt die Zweige des Gesprächs auf, die neuesten zuerst, und sagt, auf welchem du bist.',
  'The most branches to list; 20 if not given.': 'Wie viele Zweige höchstens; ohne Angabe 20.',
  'numbers that /switch, /merge and the others take': 'Nummern, die /switch, /merge und andere nehmen',
  'more of them': 'mehr davon',
  'Copies a message, or a range of a branch, to the end of the branch you are on.':
    'Kopiert eine Nachricht oder ein Stück eines Zweigs ans Ende des Zweigs, auf dem du bist.',
  'The message, or the first of the range.': 'Die Nachricht, oder die erste des Stücks.',
  'The last of the range, below the first.': 'Die letzte des Stücks, unterhalb der ersten.',
  'The tree to pick from; this one if not given.': 'Der Baum, aus dem gepflückt wird; ohne Angabe dieser.',
  'says what the second node says again here': 'sagt hier noch einmal, was die zweite Nachricht sagt',
  'copies a range, named by the ends of its ids': 'kopiert ein Stück, benannt nach den Enden der Kennungen',
  'Copies the conversation with all its branches into a new conversation or file, and goes on there.':
    'Kopiert das Gespräch mit allen Zweigen in ein neues und geht dort weiter.',
  'a copy to try things on': 'eine Kopie zum Ausprobieren',
  'Sums up the older messages of this branch, so that the model has room again. Nothing is lost.':
    'Fasst die älteren Nachrichten dieses Zweigs zusammen, damit das Modell wieder Platz hat. Nichts geht verloren.',
  'What the summary is to dwell on.': 'Worauf die Zusammenfassung eingehen soll.',
  'makes room': 'schafft Platz',
  'and says what must not get lost': 'und sagt, was nicht verloren gehen darf',
  'Shows what the model would see here: each message with its tokens, and how full the window is.':
    'Zeigt, was das Modell hier sähe: jede Nachricht mit ihren Token, und wie voll das Fenster ist.',
  'The end of the branch; where you are if not given.': 'Das Ende des Zweigs; ohne Angabe, wo du bist.',
  'For this model; the one of the branch if not given.': 'Für dieses Modell; ohne Angabe das des Zweigs.',
  'what is in force, and how much room is left': 'was gilt, und wie viel Platz bleibt',
  'the same for another window': 'dasselbe für ein anderes Fenster',
  'Writes the way to a node and all below it into a session file, ids kept.':
    'Schreibt den Weg zu einer Nachricht und alles darunter in eine Sitzungsdatei; Kennungen bleiben.',
  'The top of what is written.': 'Die oberste Nachricht, die geschrieben wird.',
  'Only the way to the node.': 'Nur den Weg zu der Nachricht.',
  'The path of the new file; beside the others if not given.':
    'Der Pfad der neuen Datei; ohne Angabe neben den anderen.',
  'to show somebody this branch': 'um jemandem diesen Zweig zu zeigen',
  'the thread alone, into a file of your choice': 'nur den Faden, in eine Datei deiner Wahl',
  'Goes on after a node in a new conversation or file, the way to it included; without one, from where you are. A message of yours is taken back.':
    'Geht nach einer Nachricht in einem neuen Gespräch weiter, der Weg zu ihr eingeschlossen; ohne Angabe von dort, wo du bist. Eine Nachricht von dir wird zurückgenommen.',
  'The last node that comes along, or the message of yours to say otherwise; where you are if not given.':
    'Die letzte Nachricht, die mitkommt, oder eine von dir, die du anders sagen willst; ohne Angabe, wo du bist.',
  'the same thread again, to go another way with': 'derselbe Faden noch einmal, um einen anderen Weg zu gehen',
  'the thread up to the node with that label': 'der Faden bis zur Nachricht mit diesem Lesezeichen',
  'Lists the commands, or explains one.': 'Zählt die Befehle auf, oder erklärt einen.',
  'The command to explain.': 'Der Befehl, der erklärt werden soll.',
  'all of them': 'alle',
  'one of them, with examples': 'einer davon, mit Beispielen',
  'Labels the node you are at, or another one, so that you find it again; without a text, lists the labels.':
    'Setzt ein Lesezeichen, wo du bist, oder an eine andere Nachricht, damit du sie wiederfindest; ohne Text zählt es die Lesezeichen auf.',
  'The label.': 'Das Lesezeichen.',
  'The node to label; the one you are at if not given.': 'Die Nachricht dafür; ohne Angabe die, bei der du bist.',
  'Takes the label away.': 'Nimmt das Lesezeichen weg.',
  'labels where you are': 'setzt ein Lesezeichen, wo du bist',
  'labels the third node of the list': 'setzt eines an die dritte Nachricht der Liste',
  'takes the label away again': 'nimmt es wieder weg',
  'Brings another branch back to the one you are on: as a summary, or as its messages.':
    'Bringt einen anderen Zweig auf den zurück, auf dem du bist: als Zusammenfassung oder mit seinen Nachrichten.',
  'The end of the branch that is brought back.': 'Das Ende des Zweigs, der zurückgebracht wird.',
  'Copies its messages since the fork instead of summing them up.':
    'Kopiert die Nachrichten seit der Gabelung, statt sie zusammenzufassen.',
  'adds a summary of the second branch of the list': 'fügt eine Zusammenfassung des zweiten Zweigs der Liste an',
  'copies what that branch has and this one has not': 'kopiert, was jener Zweig hat und dieser nicht',
  'Says which model this branch goes on with, or sets it; other branches keep theirs.':
    'Sagt, mit welchem Modell dieser Zweig weitergeht, oder setzt es; andere Zweige behalten ihres.',
  'As provider/model, or a provider alone.': 'Als Anbieter/Modell, oder ein Anbieter allein.',
  'which one, and why': 'welches, und warum',
  'goes on with that one from here': 'geht von hier an mit diesem weiter',
  'Names the conversation; without a text, says what it is called.':
    'Benennt das Gespräch; ohne Text sagt es, wie es heißt.',
  'The name.': 'Der Name.',
  'Takes the name away; one that was found by itself shows again.':
    'Nimmt den Namen weg; ein selbst gefundener zeigt sich wieder.',
  'what lists show from now on': 'was Listen von nun an zeigen',
  'says what it is called': 'sagt, wie es heißt',
  'Goes back to before your last message, or a node, and keeps a summary of what was done since.':
    'Geht zurück vor deine letzte Nachricht oder zu einer anderen und behält eine Zusammenfassung dessen, was seitdem geschah.',
  'Where to go back to; your last message if not given.': 'Wohin zurück; ohne Angabe zu deiner letzten Nachricht.',
  'Leaves no summary.': 'Hinterlässt keine Zusammenfassung.',
  'ends a side trip: back to before it, with what it came to':
    'beendet einen Abstecher: zurück davor, mit dem, was dabei herauskam',
  'the same from further up': 'dasselbe von weiter oben',
  'goes back and takes nothing along': 'geht zurück und nimmt nichts mit',
  'Does again what you took back last, unless you did something since.':
    'Wiederholt, was du zuletzt zurückgenommen hast, wenn du seitdem nichts getan hast.',
  'Also where others went on from it since: what they added goes to the trash.':
    'Auch wo andere seitdem weitergegangen sind: was sie hinzufügten, kommt in den Papierkorb.',
  'brings it back': 'bringt es zurück',
  'also where somebody else has gone on from it': 'auch wo jemand anders weitergegangen ist',
  'Goes to a node. A message of yours is taken back: you are above it, and its text is there to be changed.':
    'Geht zu einer Nachricht. Eine von dir wird zurückgenommen: du bist über ihr, und ihr Text steht zum Ändern bereit.',
  'Where to go.': 'Wohin.',
  'Goes to the very node, also if it is a message of yours.': 'Geht genau zu der Nachricht, auch wenn sie von dir ist.',
  'goes to the second branch of the list that was shown last':
    'geht zum zweiten Zweig der Liste, die zuletzt gezeigt wurde',
  'goes to a label and takes along what was learnt': 'geht zu einem Lesezeichen und nimmt mit, was gelernt wurde',
  'Shows the conversation as an outline: where branches begin, fork and end, and where you are.':
    'Zeigt das Gespräch als Gliederung: wo Zweige beginnen, sich gabeln und enden, und wo du bist.',
  'Shows what is below this node only.': 'Zeigt nur, was unter dieser Nachricht ist.',
  'What is shown; folded if not given.': 'Was gezeigt wird; ohne Angabe zusammengefaltet.',
  'The most lines; 200 if not given.': 'Wie viele Zeilen höchstens; ohne Angabe 200.',
  'the shape of it, long stretches folded': 'seine Gestalt, lange Strecken zusammengefaltet',
  'what you asked, on every branch': 'was du gefragt hast, auf jedem Zweig',
  'everything below a label': 'alles unter einem Lesezeichen',
  'Takes back what you did last, also over a restart.':
    'Nimmt zurück, was du zuletzt getan hast, auch nach einem Neustart.',
  'takes your last act back': 'nimmt zurück, was du zuletzt getan hast',
  'where you are': 'wo du bist',
  'before the first message': 'vor der ersten Nachricht',
};

const phrases: ReadonlyMap<string, string> = new Map(Object.entries(commandPhrasesDe));

/** A phrase of a command in German; null for one that is none of ours, such as that of a command that was added. */
export function germanPhrase(english: string): string | null {
  return phrases.get(english) ?? null;
}
