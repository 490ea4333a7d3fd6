/** Dutch translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesNl: Readonly<Record<string, string>> = {
  command: 'opdracht',
  count: 'aantal',
  focus: 'onderwerp',
  model: 'model',
  message: 'bericht',
  text: 'tekst',
  to: 'doel',
  chat: 'chat',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesNl: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Offline (zonder taalmodel)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Geeft de datum, de tijd en de dag van de week, in UTC of in een tijdzone.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'Bekijkt deze chat, die een boom met takken is: een overzicht, of een lijst van alle berichten met hun eerste woorden.',
};
