/** Italian words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsIt: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: 'Torna a un messaggio precedente in una nuova chat che contiene solo il percorso fino a esso.',
    arguments: {
      node: 'Il messaggio da cui continuare; di norma quello prima del tuo ultimo.',
    },
    examples: [
      'cambiare il tuo ultimo messaggio in una nuova chat',
      'continuare dal terzo messaggio dell’ultimo elenco',
    ],
  },
  'branch-here': {
    summary: 'Inizia un nuovo ramo da un messaggio precedente; di norma prima del tuo ultimo.',
    arguments: {
      node: 'Dove inizia il nuovo ramo; di norma al tuo ultimo messaggio.',
      summarize: 'Aggiungi un riepilogo del ramo lasciato, se vuoi con un argomento.',
    },
    examples: [
      'cambiare il tuo ultimo messaggio e inviarlo di nuovo',
      'continuare dal terzo messaggio, con un riepilogo del ramo lasciato',
    ],
  },
  branches: {
    summary: 'Elenca i rami della chat, prima i più recenti, e segna quello attuale.',
    arguments: {
      limit: 'Quanti rami al massimo; di norma 20.',
    },
    examples: ['rami con numeri per /switch, /merge e altri comandi', 'elencare fino a 100 rami'],
  },
  'cherry-pick': {
    summary: 'Copia uno o più messaggi alla fine del ramo attuale.',
    arguments: {
      node: 'Il messaggio, o il primo di più.',
      to: 'L’ultimo di più, sotto il primo.',
      from: 'La chat da cui copiare; di norma questa.',
    },
    examples: [
      'copiare il secondo messaggio dell’elenco in questo ramo',
      'copiare più messaggi, indicati dalla fine dei loro identificatori',
    ],
  },
  clone: {
    summary: 'Copia la chat con tutti i rami in una nuova e continua lì.',
    examples: ['fare una copia per provare'],
  },
  compact: {
    summary: 'Riepiloga i messaggi vecchi di questo ramo per liberare la finestra di contesto. Nulla viene eliminato.',
    arguments: {
      focus: 'Su cosa deve concentrarsi il riepilogo.',
    },
    examples: ['riepilogare i messaggi vecchi', 'riepilogare su un argomento'],
  },
  context: {
    summary:
      'Mostra cosa vede il modello qui: ogni messaggio con i suoi token, e quanto è piena la finestra di contesto.',
    arguments: {
      node: 'L’ultimo messaggio del ramo; di norma quello attuale.',
      model: 'Il modello; di norma quello del ramo.',
    },
    examples: ['mostrare il contesto e lo spazio libero', 'mostrarlo per un altro modello'],
  },
  'export-branch': {
    summary: 'Scrive il percorso fino a un messaggio e tutto ciò che è sotto in un file di sessione.',
    arguments: {
      node: 'Il primo messaggio del ramo.',
      path: 'Scrivi solo il percorso fino al messaggio.',
      to: 'Il percorso del nuovo file; di norma accanto agli altri.',
    },
    examples: ['scrivere un ramo in un file', 'scrivere solo il percorso in un file a tua scelta'],
  },
  fork: {
    summary:
      'Copia il ramo fino a un messaggio in una nuova chat e continua lì. Se il messaggio è tuo, il suo testo torna nella casella di testo.',
    arguments: {
      node: 'L’ultimo messaggio della copia, o il tuo messaggio da cambiare; di norma quello attuale.',
    },
    examples: ['copiare il ramo attuale', 'copiare il ramo fino a un segnalibro'],
  },
  help: {
    summary: 'Elenca i comandi, o ne spiega uno.',
    arguments: {
      command: 'Il comando da spiegare.',
    },
    examples: ['elencare tutti i comandi', 'spiegare un comando con esempi'],
  },
  label: {
    summary: 'Mette un segnalibro sul messaggio attuale o su un altro; senza testo elenca i segnalibri.',
    arguments: {
      text: 'Il segnalibro.',
      on: 'Il messaggio; di norma quello attuale.',
      remove: 'Togli il segnalibro.',
    },
    examples: [
      'mettere un segnalibro sul messaggio attuale',
      'mettere un segnalibro sul terzo messaggio dell’elenco',
      'togliere il segnalibro',
    ],
  },
  merge: {
    summary: 'Unisce un altro ramo a quello attuale, come riepilogo o con i suoi messaggi.',
    arguments: {
      node: 'L’ultimo messaggio del ramo da unire.',
      messages: 'Copia i messaggi dalla biforcazione in poi invece di riepilogarli.',
      focus: 'Su cosa deve concentrarsi il riepilogo.',
    },
    examples: ['unire un riepilogo del secondo ramo dell’elenco', 'copiare i messaggi che solo quel ramo ha'],
  },
  model: {
    summary: 'Mostra o imposta il modello di questo ramo; gli altri rami tengono il loro.',
    arguments: {
      model: 'Come provider/modello, o solo un provider.',
    },
    examples: ['mostrare il modello e perché viene usato', 'usare questo modello da qui in poi'],
  },
  name: {
    summary: 'Imposta il titolo della chat; senza testo lo mostra.',
    arguments: {
      text: 'Il titolo.',
      remove: 'Togli il titolo; viene mostrato di nuovo quello automatico.',
    },
    examples: ['impostare il titolo', 'mostrare il titolo'],
  },
  pop: {
    summary: 'Torna prima del tuo ultimo messaggio o a un altro, e aggiunge un riepilogo del ramo lasciato.',
    arguments: {
      node: 'Dove; di norma al tuo ultimo messaggio.',
      focus: 'Su cosa deve concentrarsi il riepilogo.',
      plain: 'Non aggiungere un riepilogo.',
    },
    examples: [
      'lasciare un ramo secondario e tenere un riepilogo',
      'più in alto, con un argomento per il riepilogo',
      'tornare senza riepilogo',
    ],
  },
  redo: {
    summary: 'Ripete ciò che hai annullato per ultimo, se da allora non hai cambiato nulla.',
    arguments: {
      force: 'Anche se altri hanno continuato da lì; i loro messaggi vanno nel cestino.',
    },
    examples: ['ripetere l’ultima modifica annullata', 'anche se altri hanno continuato da lì'],
  },
  switch: {
    summary:
      'Passa a un altro messaggio o a un altro ramo. Se il messaggio è tuo, il suo testo torna nella casella di testo.',
    arguments: {
      node: 'Il messaggio a cui passare.',
      exact: 'Passa esattamente al messaggio, anche se è tuo.',
      summarize: 'Aggiungi un riepilogo del ramo lasciato, se vuoi con un argomento.',
    },
    examples: [
      'passare al secondo ramo dell’ultimo elenco',
      'passare a un segnalibro, con un riepilogo del ramo lasciato',
    ],
  },
  tree: {
    summary: 'Mostra la chat come struttura: dove i rami iniziano, si biforcano e finiscono, e il messaggio attuale.',
    arguments: {
      node: 'Mostra solo ciò che è sotto questo messaggio.',
      filter: 'Cosa viene mostrato; di norma compresso.',
      limit: 'Quante righe al massimo; di norma 200.',
    },
    examples: [
      'la struttura, con i tratti lunghi compressi',
      'i tuoi messaggi su tutti i rami',
      'tutto ciò che è sotto un segnalibro',
    ],
  },
  undo: {
    summary: 'Annulla la tua ultima modifica, anche dopo un riavvio.',
    arguments: {
      force: 'Anche se altri hanno continuato da lì; i loro messaggi vanno nel cestino.',
    },
    examples: ['annullare la tua ultima modifica', 'anche se altri hanno continuato da lì'],
  },
};
