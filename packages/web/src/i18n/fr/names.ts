/** French translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesFr: Readonly<Record<string, string>> = {
  command: 'commande',
  count: 'nombre',
  focus: 'sujet',
  model: 'modèle',
  message: 'message',
  text: 'texte',
  to: 'cible',
  chat: 'discussion',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesFr: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Hors ligne (sans modèle de langage)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Donne la date, l’heure et le jour de la semaine, en UTC ou dans un fuseau horaire.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'Examine cette discussion, qui est un arbre avec des branches : un aperçu, ou la liste de tous ses messages avec leurs premiers mots.',
};
