/** Spanish translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesEs: Readonly<Record<string, string>> = {
  command: 'comando',
  count: 'cantidad',
  focus: 'tema',
  model: 'modelo',
  message: 'mensaje',
  text: 'texto',
  to: 'destino',
  chat: 'chat',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesEs: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Sin conexión (sin modelo de lenguaje)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Dice la fecha, la hora y el día de la semana, en UTC o en una zona horaria.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'Examina este chat, que es un árbol con ramas: un resumen general o una lista de todos sus mensajes con sus primeras palabras.',
};
