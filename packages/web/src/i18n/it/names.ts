/** Italian translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesIt: Readonly<Record<string, string>> = {
  command: 'comando',
  count: 'numero',
  focus: 'argomento',
  model: 'modello',
  message: 'messaggio',
  text: 'testo',
  to: 'destinazione',
  chat: 'chat',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesIt: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Offline (senza modello linguistico)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Indica data, ora e giorno della settimana, in UTC o in un fuso orario.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'Esamina questa chat, che è un albero con rami: una panoramica o un elenco di tutti i messaggi con le loro prime parole.',
};
