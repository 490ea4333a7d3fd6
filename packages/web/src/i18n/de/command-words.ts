/** German words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsDe: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: 'Kehrt in einem neuen Chat, der nur den Weg dorthin enthält, zu einer früheren Nachricht zurück.',
    arguments: {
      node: 'Die Nachricht, ab der es weitergeht; ohne Angabe die vor deiner letzten.',
    },
    examples: [
      'deine letzte Nachricht in einem neuen Chat ändern',
      'ab der dritten Nachricht der letzten Liste weitermachen',
    ],
  },
  'branch-here': {
    summary: 'Beginnt einen neuen Zweig ab einer früheren Nachricht; ohne Angabe vor deiner letzten.',
    arguments: {
      node: 'Wo der neue Zweig beginnt; ohne Angabe bei deiner letzten Nachricht.',
      summarize: 'Eine Zusammenfassung des verlassenen Zweigs hinzufügen, auf Wunsch mit Schwerpunkt.',
    },
    examples: [
      'deine letzte Nachricht ändern und neu senden',
      'ab der dritten Nachricht weitermachen, mit einer Zusammenfassung des verlassenen Zweigs',
    ],
  },
  branches: {
    summary: 'Listet die Zweige des Chats auf, die neuesten zuerst, und markiert den aktuellen.',
    arguments: {
      limit: 'Wie viele Zweige höchstens; ohne Angabe 20.',
    },
    examples: ['Zweige mit Nummern für /switch, /merge und andere Befehle', 'bis zu 100 Zweige auflisten'],
  },
  'cherry-pick': {
    summary: 'Kopiert eine Nachricht oder mehrere ans Ende des aktuellen Zweigs.',
    arguments: {
      node: 'Die Nachricht, oder die erste von mehreren.',
      to: 'Die letzte von mehreren, unterhalb der ersten.',
      from: 'Der Chat, aus dem kopiert wird; ohne Angabe dieser.',
    },
    examples: [
      'die zweite Nachricht der Liste auf diesen Zweig kopieren',
      'mehrere Nachrichten kopieren, angegeben durch das Ende ihrer IDs',
    ],
  },
  clone: {
    summary: 'Kopiert den Chat mit allen Zweigen in einen neuen und macht dort weiter.',
    examples: ['eine Kopie zum Ausprobieren anlegen'],
  },
  compact: {
    summary:
      'Fasst ältere Nachrichten dieses Zweigs zusammen, um Platz im Kontextfenster zu schaffen. Nichts wird gelöscht.',
    arguments: {
      focus: 'Worauf die Zusammenfassung eingehen soll.',
    },
    examples: ['ältere Nachrichten zusammenfassen', 'mit einem Schwerpunkt zusammenfassen'],
  },
  context: {
    summary: 'Zeigt, was das Modell hier sieht: jede Nachricht mit ihren Token, und wie voll das Kontextfenster ist.',
    arguments: {
      node: 'Die letzte Nachricht des Zweigs; ohne Angabe die aktuelle.',
      model: 'Das Modell; ohne Angabe das des Zweigs.',
    },
    examples: ['den Kontext und den freien Platz anzeigen', 'für ein anderes Modell anzeigen'],
  },
  'export-branch': {
    summary: 'Schreibt den Weg zu einer Nachricht und alles darunter in eine Sitzungsdatei.',
    arguments: {
      node: 'Die erste Nachricht des Zweigs.',
      path: 'Nur den Weg zu der Nachricht schreiben.',
      to: 'Der Pfad der neuen Datei; ohne Angabe neben den anderen.',
    },
    examples: ['einen Zweig in eine Datei schreiben', 'nur den Weg in eine Datei deiner Wahl schreiben'],
  },
  fork: {
    summary:
      'Kopiert den Zweig bis zu einer Nachricht in einen neuen Chat und macht dort weiter. Bei einer eigenen Nachricht steht ihr Text wieder im Eingabefeld.',
    arguments: {
      node: 'Die letzte Nachricht der Kopie, oder deine Nachricht zum Ändern; ohne Angabe die aktuelle.',
    },
    examples: ['den aktuellen Zweig kopieren', 'den Zweig bis zu einem Lesezeichen kopieren'],
  },
  help: {
    summary: 'Listet die Befehle auf, oder erklärt einen.',
    arguments: {
      command: 'Der Befehl, der erklärt werden soll.',
    },
    examples: ['alle Befehle auflisten', 'einen Befehl mit Beispielen erklären'],
  },
  label: {
    summary:
      'Setzt ein Lesezeichen auf die aktuelle oder eine andere Nachricht; ohne Text listet es die Lesezeichen auf.',
    arguments: {
      text: 'Das Lesezeichen.',
      on: 'Die Nachricht; ohne Angabe die aktuelle.',
      remove: 'Das Lesezeichen entfernen.',
    },
    examples: [
      'ein Lesezeichen auf die aktuelle Nachricht setzen',
      'ein Lesezeichen auf die dritte Nachricht der Liste setzen',
      'das Lesezeichen entfernen',
    ],
  },
  merge: {
    summary: 'Fügt einen anderen Zweig in den aktuellen ein, als Zusammenfassung oder mit seinen Nachrichten.',
    arguments: {
      node: 'Die letzte Nachricht des Zweigs, der eingefügt wird.',
      messages: 'Die Nachrichten seit der Verzweigung kopieren, statt sie zusammenzufassen.',
      focus: 'Worauf die Zusammenfassung eingehen soll.',
    },
    examples: [
      'eine Zusammenfassung des zweiten Zweigs der Liste einfügen',
      'die Nachrichten kopieren, die nur jener Zweig hat',
    ],
  },
  model: {
    summary: 'Zeigt oder setzt das Modell dieses Zweigs; andere Zweige behalten ihres.',
    arguments: {
      model: 'Als Anbieter/Modell, oder nur ein Anbieter.',
    },
    examples: ['das Modell anzeigen, und warum es verwendet wird', 'ab hier dieses Modell verwenden'],
  },
  name: {
    summary: 'Setzt den Titel des Chats; ohne Text zeigt es ihn.',
    arguments: {
      text: 'Der Titel.',
      remove: 'Den Titel entfernen; der automatische wird wieder gezeigt.',
    },
    examples: ['den Titel setzen', 'den Titel anzeigen'],
  },
  pop: {
    summary:
      'Kehrt vor deine letzte Nachricht oder zu einer anderen zurück und fügt eine Zusammenfassung des verlassenen Zweigs hinzu.',
    arguments: {
      node: 'Wohin; ohne Angabe zu deiner letzten Nachricht.',
      focus: 'Worauf die Zusammenfassung eingehen soll.',
      plain: 'Keine Zusammenfassung hinzufügen.',
    },
    examples: [
      'einen Nebenzweig verlassen und eine Zusammenfassung behalten',
      'weiter nach oben, mit einem Schwerpunkt für die Zusammenfassung',
      'ohne Zusammenfassung zurückkehren',
    ],
  },
  redo: {
    summary: 'Wiederholt, was du zuletzt rückgängig gemacht hast, wenn du seitdem nichts geändert hast.',
    arguments: {
      force: 'Auch wenn andere darauf aufgebaut haben; ihre Nachrichten kommen in den Papierkorb.',
    },
    examples: ['die letzte rückgängig gemachte Änderung wiederholen', 'auch wenn andere darauf aufgebaut haben'],
  },
  switch: {
    summary:
      'Wechselt zu einer anderen Nachricht oder einem anderen Zweig. Bei einer eigenen Nachricht steht ihr Text wieder im Eingabefeld.',
    arguments: {
      node: 'Die Nachricht, zu der gewechselt wird.',
      exact: 'Genau zu der Nachricht wechseln, auch wenn sie von dir ist.',
      summarize: 'Eine Zusammenfassung des verlassenen Zweigs hinzufügen, auf Wunsch mit Schwerpunkt.',
    },
    examples: [
      'zum zweiten Zweig der letzten Liste wechseln',
      'zu einem Lesezeichen wechseln, mit einer Zusammenfassung des verlassenen Zweigs',
    ],
  },
  tree: {
    summary:
      'Zeigt den Chat als Gliederung: wo Zweige beginnen, sich verzweigen und enden, und die aktuelle Nachricht.',
    arguments: {
      node: 'Nur zeigen, was unter dieser Nachricht ist.',
      filter: 'Was gezeigt wird; ohne Angabe die eingeklappte Gliederung.',
      limit: 'Wie viele Zeilen höchstens; ohne Angabe 200.',
    },
    examples: [
      'die Gliederung, lange Abschnitte eingeklappt',
      'deine Nachrichten auf allen Zweigen',
      'alles unter einem Lesezeichen',
    ],
  },
  undo: {
    summary: 'Macht deine letzte Änderung rückgängig, auch nach einem Neustart.',
    arguments: {
      force: 'Auch wenn andere darauf aufgebaut haben; ihre Nachrichten kommen in den Papierkorb.',
    },
    examples: ['deine letzte Änderung rückgängig machen', 'auch wenn andere darauf aufgebaut haben'],
  },
};
