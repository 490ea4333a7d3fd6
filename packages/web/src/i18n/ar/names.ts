/** Arabic translations of names from the server. */

/** The names of arguments, as the usage of a command shows them. */
export const argumentNamesAr: Readonly<Record<string, string>> = {
  command: 'أمر',
  count: 'عدد',
  focus: 'محور',
  model: 'نموذج',
  message: 'رسالة',
  text: 'نص',
  to: 'هدف',
  chat: 'محادثة',
};

/** The names of built-in tools and of the offline provider, by their English names. */
export const builtInNamesAr: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'غير متصل (بلا نموذج لغوي)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'يذكر التاريخ والوقت ويوم الأسبوع، بتوقيت UTC أو بمنطقة زمنية.',
  'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.':
    'ينظر في هذه المحادثة، وهي شجرة ذات فروع: نظرة عامة، أو قائمة بكل رسائلها مع كلماتها الأولى.',
};
