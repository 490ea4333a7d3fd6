/** Brazilian Portuguese translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesPtBr: Readonly<Record<string, string>> = {
  command: 'comando',
  count: 'número',
  focus: 'assunto',
  model: 'modelo',
  message: 'mensagem',
  text: 'texto',
  to: 'destino',
  chat: 'chat',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesPtBr: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Offline (sem modelo de linguagem)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Informa a data, a hora e o dia da semana, em UTC ou em um fuso horário.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'Examina este chat, que é uma árvore com ramos: uma visão geral ou uma lista de todas as mensagens com suas primeiras palavras.',
};
