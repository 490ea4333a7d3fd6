/** German translations of the summaries, arguments and examples of commands, by the English phrase. */

export const commandPhrasesDe: Readonly<Record<string, string>> = {
  'Moves up to an earlier message in a new conversation or file that contains only the path to it.':
    'Kehrt in einem neuen Gespräch, das nur den Weg dorthin enthält, zu einer früheren Nachricht zurück.',
  'The message to continue from; by default the one before your last message.':
    'Die Nachricht, ab der es weitergeht; ohne Angabe die vor deiner letzten.',
  'edit your last message in a new conversation': 'deine letzte Nachricht in einem neuen Gespräch ändern',
  'continue from the third message of the last list': 'ab der dritten Nachricht der letzten Liste weitermachen',
  'Starts a new branch from an earlier message; by default from before your last message.':
    'Beginnt einen neuen Zweig ab einer früheren Nachricht; ohne Angabe vor deiner letzten.',
  'Where the new branch starts; by default at your last message.':
    'Wo der neue Zweig beginnt; ohne Angabe bei deiner letzten Nachricht.',
  'Add a summary of the branch that you leave, with an optional focus.':
    'Eine Zusammenfassung des verlassenen Zweigs hinzufügen, auf Wunsch mit Schwerpunkt.',
  'edit your last message and send it again': 'deine letzte Nachricht ändern und neu senden',
  'continue from the third message, with a summary of the branch you leave':
    'ab der dritten Nachricht weitermachen, mit einer Zusammenfassung des verlassenen Zweigs',
  'Lists the branches of the conversation, newest first, and marks the current one.':
    'Listet die Zweige des Gesprächs auf, die neuesten zuerst, und markiert den aktuellen.',
  'The maximum number of branches; 20 by default.': 'Wie viele Zweige höchstens; ohne Angabe 20.',
  'list branches with numbers for /switch, /merge and other commands':
    'Zweige mit Nummern für /switch, /merge und andere Befehle',
  'list up to 100 branches': 'bis zu 100 Zweige auflisten',
  'Copies a message or a range of messages to the end of the current branch.':
    'Kopiert eine Nachricht oder mehrere ans Ende des aktuellen Zweigs.',
  'The message, or the first one of the range.': 'Die Nachricht, oder die erste von mehreren.',
  'The last message of the range, below the first.': 'Die letzte von mehreren, unterhalb der ersten.',
  'The conversation to copy from; by default this one.': 'Das Gespräch, aus dem kopiert wird; ohne Angabe dieses.',
  'copy the second message of the list to this branch': 'die zweite Nachricht der Liste auf diesen Zweig kopieren',
  'copy a range, given by the ends of its ids':
    'mehrere Nachrichten kopieren, angegeben durch die Enden ihrer Kennungen',
  'Copies the conversation with all its branches to a new conversation or file and continues there.':
    'Kopiert das Gespräch mit allen Zweigen in ein neues und macht dort weiter.',
  'make a copy to experiment with': 'eine Kopie zum Ausprobieren anlegen',
  'Summarises older messages of this branch to free space in the context window. Nothing is deleted.':
    'Fasst ältere Nachrichten dieses Zweigs zusammen, um Platz im Kontextfenster zu schaffen. Nichts wird gelöscht.',
  'What the summary should focus on.': 'Worauf die Zusammenfassung eingehen soll.',
  'summarise older messages': 'ältere Nachrichten zusammenfassen',
  'summarise with a focus': 'mit einem Schwerpunkt zusammenfassen',
  'Shows what the model would see here: each message with its tokens, and how full the context window is.':
    'Zeigt, was das Modell hier sieht: jede Nachricht mit ihren Token, und wie voll das Kontextfenster ist.',
  'The last message of the branch; by default the current one.':
    'Die letzte Nachricht des Zweigs; ohne Angabe die aktuelle.',
  'The model; by default the one of the branch.': 'Das Modell; ohne Angabe das des Zweigs.',
  'show the context and how much space is left': 'den Kontext und den freien Platz anzeigen',
  'show it for another model': 'für ein anderes Modell anzeigen',
  'Writes the path to a message and everything below it to a session file.':
    'Schreibt den Weg zu einer Nachricht und alles darunter in eine Sitzungsdatei.',
  'The first message of the branch.': 'Die erste Nachricht des Zweigs.',
  'Write only the path to the message.': 'Nur den Weg zu der Nachricht schreiben.',
  'The path of the new file; by default next to the other session files.':
    'Der Pfad der neuen Datei; ohne Angabe neben den anderen.',
  'write a branch to a file': 'einen Zweig in eine Datei schreiben',
  'write only the path to a file of your choice': 'nur den Weg in eine Datei deiner Wahl schreiben',
  'Copies the branch up to a message into a new conversation or file and continues there. Choosing your own message puts its text back in the editor.':
    'Kopiert den Zweig bis zu einer Nachricht in ein neues Gespräch und macht dort weiter. Bei einer eigenen Nachricht steht ihr Text wieder im Eingabefeld.',
  'The last message to copy, or your message to edit; by default the current one.':
    'Die letzte Nachricht der Kopie, oder deine Nachricht zum Ändern; ohne Angabe die aktuelle.',
  'copy the current branch': 'den aktuellen Zweig kopieren',
  'copy the branch up to a label': 'den Zweig bis zu einem Lesezeichen kopieren',
  'Lists the commands, or explains one.': 'Listet die Befehle auf, oder erklärt einen.',
  'The command to explain.': 'Der Befehl, der erklärt werden soll.',
  'list all commands': 'alle Befehle auflisten',
  'explain a command, with examples': 'einen Befehl mit Beispielen erklären',
  'Labels the current message or another one; without a text, lists the labels.':
    'Setzt ein Lesezeichen auf die aktuelle oder eine andere Nachricht; ohne Text listet es die Lesezeichen auf.',
  'The label.': 'Das Lesezeichen.',
  'The message to label; by default the current one.': 'Die Nachricht; ohne Angabe die aktuelle.',
  'Remove the label.': 'Das Lesezeichen entfernen.',
  'label the current message': 'ein Lesezeichen auf die aktuelle Nachricht setzen',
  'label the third message of the list': 'ein Lesezeichen auf die dritte Nachricht der Liste setzen',
  'remove the label': 'das Lesezeichen entfernen',
  'Merges another branch into the current one, as a summary or as its messages.':
    'Fügt einen anderen Zweig in den aktuellen ein, als Zusammenfassung oder mit seinen Nachrichten.',
  'The last message of the branch to merge.': 'Die letzte Nachricht des Zweigs, der eingefügt wird.',
  'Copy its messages since the fork instead of a summary.':
    'Die Nachrichten seit der Verzweigung kopieren, statt sie zusammenzufassen.',
  'add a summary of the second branch of the list': 'eine Zusammenfassung des zweiten Zweigs der Liste einfügen',
  'copy the messages that only that branch has': 'die Nachrichten kopieren, die nur jener Zweig hat',
  'Shows or sets the model of this branch; other branches keep theirs.':
    'Zeigt oder setzt das Modell dieses Zweigs; andere Zweige behalten ihres.',
  'As provider/model, or only a provider.': 'Als Anbieter/Modell, oder nur ein Anbieter.',
  'show the model, and why it is used': 'das Modell anzeigen, und warum es verwendet wird',
  'use this model from here on': 'ab hier dieses Modell verwenden',
  'Sets the title of the conversation; without a text, shows it.':
    'Setzt den Titel des Gesprächs; ohne Text zeigt es ihn.',
  'The title.': 'Der Titel.',
  'Remove the title; the automatic one is shown again.': 'Den Titel entfernen; der automatische wird wieder gezeigt.',
  'set the title': 'den Titel setzen',
  'show the title': 'den Titel anzeigen',
  'Moves up to before your last message, or to another one, and adds a summary of the branch you leave.':
    'Kehrt vor deine letzte Nachricht oder zu einer anderen zurück und fügt eine Zusammenfassung des verlassenen Zweigs hinzu.',
  'Where to move up to; by default your last message.': 'Wohin; ohne Angabe zu deiner letzten Nachricht.',
  'Add no summary.': 'Keine Zusammenfassung hinzufügen.',
  'leave a side branch and keep a summary of it': 'einen Nebenzweig verlassen und eine Zusammenfassung behalten',
  'move up further, with a focus for the summary': 'weiter nach oben, mit einem Schwerpunkt für die Zusammenfassung',
  'move up without a summary': 'ohne Zusammenfassung zurückkehren',
  'Redoes what you undid last, unless you changed something since.':
    'Stellt wieder her, was du zuletzt rückgängig gemacht hast, wenn du seitdem nichts geändert hast.',
  'Do it even if others continued from it; their messages are moved to the trash.':
    'Auch wenn andere darauf aufgebaut haben; ihre Nachrichten kommen in den Papierkorb.',
  'redo the last undone change': 'die letzte rückgängig gemachte Änderung wiederherstellen',
  'even if others continued from it': 'auch wenn andere darauf aufgebaut haben',
  'Moves to another message or branch. Choosing your own message puts its text back in the editor.':
    'Wechselt zu einer anderen Nachricht oder einem anderen Zweig. Bei einer eigenen Nachricht steht ihr Text wieder im Eingabefeld.',
  'The message to move to.': 'Die Nachricht, zu der gewechselt wird.',
  'Move to the message itself, even if it is your own.': 'Genau zu der Nachricht wechseln, auch wenn sie von dir ist.',
  'switch to the second branch of the last list': 'zum zweiten Zweig der letzten Liste wechseln',
  'switch to a label, with a summary of the branch you leave':
    'zu einem Lesezeichen wechseln, mit einer Zusammenfassung des verlassenen Zweigs',
  'Shows the conversation as an outline: where branches begin, fork and end, and the current message.':
    'Zeigt das Gespräch als Gliederung: wo Zweige beginnen, sich verzweigen und enden, und die aktuelle Nachricht.',
  'Show only what is below this message.': 'Nur zeigen, was unter dieser Nachricht ist.',
  'What to show; folded by default.': 'Was gezeigt wird; ohne Angabe zusammengefaltet.',
  'The maximum number of lines; 200 by default.': 'Wie viele Zeilen höchstens; ohne Angabe 200.',
  'show the outline, with long runs folded': 'die Gliederung, lange Strecken zusammengefaltet',
  'show your messages on all branches': 'deine Nachrichten auf allen Zweigen',
  'show everything below a label': 'alles unter einem Lesezeichen',
  'Undoes your last change, even after a restart.': 'Macht deine letzte Änderung rückgängig, auch nach einem Neustart.',
  'undo your last change': 'deine letzte Änderung rückgängig machen',
  'the current message': 'die aktuelle Nachricht',
  'before the first message': 'vor der ersten Nachricht',
};

const phrases: ReadonlyMap<string, string> = new Map(Object.entries(commandPhrasesDe));

/** The German translation of a phrase; null if there is none, for example for an added command. */
export function germanPhrase(english: string): string | null {
  return phrases.get(english) ?? null;
}
