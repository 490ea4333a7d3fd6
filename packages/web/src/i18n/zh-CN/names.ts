/** Simplified Chinese translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesZhCn: Readonly<Record<string, string>> = {
  command: '命令',
  count: '数量',
  focus: '重点',
  model: '模型',
  message: '消息',
  text: '文本',
  to: '目标',
  chat: '聊天',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesZhCn: Readonly<Record<string, string>> = {
  'Offline (no language model)': '离线（无语言模型）',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    '给出当前日期、时间和星期，使用 UTC 或指定时区。',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    '查看此聊天（一棵有分支的树）：概览，或列出所有消息及其开头的词。',
};
