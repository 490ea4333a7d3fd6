/** German translations of names from the server. */

/** Names of formats. */
export const formatNamesDe: Readonly<Record<string, string>> = {
  'ai-sdk': 'Nachrichten des AI SDK',
  'ai-studio': 'Prompt aus AI Studio',
  aider: 'Verlauf von aider',
  archive: 'Coppice-Archiv',
  'better-chatgpt': 'BetterChatGPT-Export',
  'big-agi': 'big-AGI-Export',
  chatbox: 'Chatbox-Export',
  chatgpt: 'ChatGPT-Export',
  'cherry-studio': 'Sicherung von Cherry Studio',
  'claude-ai': 'Claude.ai-Export',
  'claude-code': 'Sitzung von Claude Code',
  cline: 'Aufgabe von Cline',
  codex: 'Sitzung von Codex',
  'copilot-chat': 'Chat von VS Code',
  cursor: 'Unterhaltung von Cursor',
  deepseek: 'DeepSeek-Export',
  'forest-folder': 'Waldordner',
  'gemini-cli': 'Sitzung von Gemini CLI',
  'gemini-takeout': 'Gemini in Google Takeout',
  grok: 'Grok-Export',
  html: 'Webseite',
  huggingchat: 'HuggingChat-Export',
  librechat: 'LibreChat-Export',
  linear: 'Nachrichtenliste',
  'llama-cpp': 'Weboberfläche von llama.cpp',
  'lm-studio': 'Chat von LM Studio',
  lobechat: 'LobeChat-Export',
  'loom-json': 'Loom-JSON',
  markdown: 'Markdown',
  nextchat: 'Sicherung von NextChat',
  oasst: 'Bäume von OpenAssistant',
  'open-webui': 'Export von Open WebUI',
  opencode: 'Sitzung von opencode',
  pi: 'Sitzung von pi',
  'request-log': 'Protokolle von Anfragen an OpenAI und Anthropic',
  'session-v2': 'JSONL-Sitzung',
  sharegpt: 'Datensatz nach ShareGPT',
  sillytavern: 'Chat von SillyTavern',
  typingmind: 'TypingMind-Export',
};

/** Argument names in the usage of commands. */
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

/** Names of built-in tools and of the offline provider. */
export const ownNamesDe: Readonly<Record<string, string>> = {
  'Offline (no language model)': 'Offline (ohne Sprachmodell)',
  'Tells the current date, time and day of the week, in UTC or in a time zone.':
    'Sagt Datum, Uhrzeit und Wochentag, in UTC oder einer Zeitzone.',
  'Looks at this conversation, which is a tree with branches: an overview of it, or a list of all its messages with their first words.':
    'Sieht sich dieses Gespräch an, das ein Chat mit Zweigen ist: eine Übersicht, oder alle Nachrichten mit ihren ersten Worten.',
};

/** The usage of a command with German argument names; option names stay, because they are typed. */
export function germanUsage(usage: string): string {
  return usage.replace(/(?<=[<[])[a-z]+(?=…?[>\]])/g, (word) =>
    Object.hasOwn(argumentNamesDe, word) ? (argumentNamesDe[word] ?? word) : word,
  );
}
