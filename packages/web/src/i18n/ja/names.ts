/** Japanese translations of names from the server. */

/** Argument names in the usage of commands. */
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

/** Names of built-in tools and of the offline provider. */
export const builtInNamesJa: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'オフライン（言語モデルなし）',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    '現在の日付、時刻、曜日を UTC または指定のタイムゾーンで伝えます。',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'ブランチのあるツリーであるこのチャットを調べます。概要、または最初の言葉付きの全メッセージの一覧です。',
};
