/** Japanese translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesJa: Readonly<Record<string, string>> = {
  command: 'コマンド',
  count: '数',
  focus: '焦点',
  model: 'モデル',
  message: 'メッセージ',
  text: 'テキスト',
  to: '宛先',
  chat: 'チャット',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesJa: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'オフライン（言語モデルなし）',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    '現在の日付、時刻、曜日を UTC または指定のタイムゾーンで伝えます。',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'ブランチのあるツリーであるこのチャットを調べます。概要、または最初の言葉付きの全メッセージの一覧です。',
};
