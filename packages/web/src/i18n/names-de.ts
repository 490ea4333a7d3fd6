/** Names that the server gives in English, in German. */

/** What formats are called, by their names. */
export const formatNamesDe: Readonly<Record<string, string>> = {
  'ai-sdk': 'Nachrichten des AI SDK',
  archive: 'Coppice-Archiv',
  chatgpt: 'ChatGPT-Export',
  'cherry-studio': 'Sicherung von Cherry Studio',
  'claude-ai': 'Claude.ai-Export',
  'claude-code': 'Sitzung von Claude Code',
  'forest-folder': 'Waldordner',
  html: 'Webseite',
  librechat: 'LibreChat-Export',
  linear: 'Nachrichtenliste',
  'loom-json': 'Loom-JSON',
  markdown: 'Markdown',
  'open-webui': 'Export von Open WebUI',
  pi: 'Sitzung von pi',
  'request-log': 'Protokolle von Anfragen an OpenAI und Anthropic',
  'session-v2': 'JSONL-Sitzung',
  sillytavern: 'Chat von SillyTavern',
};

/** What stands for the arguments of a command where its form is shown. */
export const argumentNamesDe: Readonly<Record<string, string>> = {
  command: 'Befehl',
  count: 'Anzahl',
  focus: 'Schwerpunkt',
  model: 'Modell',
  node: 'Nachricht',
  text: 'Text',
  to: 'Ziel',
  tree: 'Chat',
};

/** What the page shows of what comes with the program: its tools, and the provider that needs no other. */
export const ownNamesDe: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Offline (ohne Sprachmodell)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Sagt Datum, Uhrzeit und Wochentag, in UTC oder einer Zeitzone.',
  'Looks at this conversation, which is a tree with branches: an overview of it, or a list of all its messages with their first words.':
    'Sieht sich dieses Gespräch an, das ein Chat mit Zweigen ist: eine Übersicht, oder alle Nachrichten mit ihren ersten Worten.',
};

/** The form of a command with what stands for its arguments in German; names of options stay, they are typed so. */
export function germanUsage(usage: string): string {
  return usage.replace(/(?<=[<[])[a-z]+(?=…?[>\]])/g, (word) =>
    Object.hasOwn(argumentNamesDe, word) ? (argumentNamesDe[word] ?? word) : word,
  );
}
