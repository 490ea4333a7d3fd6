/** German translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesDe: Readonly<Record<string, string>> = {
  command: 'Befehl',
  count: 'Anzahl',
  focus: 'Schwerpunkt',
  model: 'Modell',
  message: 'Nachricht',
  text: 'Text',
  to: 'Ziel',
  chat: 'Chat',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesDe: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Offline (ohne Sprachmodell)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Sagt Datum, Uhrzeit und Wochentag, in UTC oder einer Zeitzone.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'Beschreibt diesen Chat, einen Baum mit Zweigen: eine Übersicht oder alle Nachrichten mit ihren ersten Worten.',
};
