/** German texts about formats, by the name of the format and of what it loses. */

/** Descriptions of formats. */
export const formatsDe: Readonly<Record<string, string>> = {
  archive:
    'Ganze Chats mit Papierkorb, Lesezeichen, Anhängen und fremden Kennungen, Zeile für Zeile und mit Prüfsummen.',
  chatgpt: 'Chats mit allen Zweigen, wie ChatGPT sie exportiert.',
  'claude-code': 'Sitzungsdateien von Claude Code, mit Zweigen, Zusammenfassungen und Unteragenten.',
  codex: 'Rollouts von Codex, mit Werkzeugen, Überlegungen, Zusammenfassungen und zurückgenommenen Runden.',
  'gemini-cli': 'Sitzungen von Gemini CLI, mit Werkzeugen, Überlegungen und zurückgenommenen Nachrichten.',
  html: 'Eine Seite je Chat, mit seinem Baum daneben, die ohne Netz auskommt.',
  librechat: 'Chats, wie LibreChat sie exportiert, mit Zweigen und gleichzeitigen Antworten.',
  linear: 'Nachrichten, wie Chat-Completions sie nehmen.',
  markdown: 'Eine Seite zum Lesen je Chat: sein aktueller Zweig, oder alle Zweige mit einer Gliederung.',
  'open-webui': 'Chats, wie Open WebUI sie exportiert, mit Zweigen und Antworten mehrerer Modelle.',
  pi: 'Sitzungsdateien von pi, mit Zweigen, Namen, Zusammenfassungen und Einstellungen.',
  'session-v2': 'Sitzungsdateien der Version 2, wie der Speicher für Sitzungen sie führt.',
};

/** What a format cannot represent. */
export const lossesDe: Readonly<Record<string, string>> = {
  active: 'Welche Nachricht die aktuelle ist, wird weggelassen.',
  attachments: 'Bytes von Anhängen werden weggelassen oder nur mit ihrem Namen genannt.',
  attributes:
    'Anheftung, Ordner, Schlagwörter und Notizen von Chats werden weggelassen, soweit es keinen Platz dafür gibt.',
  blobs: 'Anhänge, deren Bytes nicht im Speicher sind, werden nur genannt.',
  block: 'Blöcke, die es dort nicht gibt, werden als Text geschrieben.',
  bookmarks: 'Lesezeichen werden weggelassen.',
  branches: 'Zweige neben dem aktuellen Zweig werden weggelassen.',
  'call-ids': 'Werkzeugaufrufe werden nur nach ihrer Stelle unterschieden.',
  'cut-short': 'Abgebrochene Antworten werden wie ganze geschrieben.',
  excluded: 'Nachrichten, die das Modell nicht sieht, werden wie gewöhnliche geschrieben.',
  failed: 'Fehlgeschlagene Nachrichten werden wie gewöhnliche geschrieben.',
  failures: 'Ergebnisse fehlgeschlagener Werkzeuge werden wie gewöhnliche geschrieben.',
  groups: 'Versionen werden geschrieben, nicht aber, was sie gemeinsam hervorbrachte.',
  markers: 'Zusammenfassungen und Zustände von Erweiterungen werden anders geschrieben oder weggelassen.',
  notes: 'Kennungen, Verbrauch, Einstellungen und Notizen werden weggelassen.',
  otherwise: 'Wofür es dort kein Wort gibt, wird anders ausgedrückt.',
  results: 'Mehrere Ergebnisse eines Aufrufs werden als eines geschrieben.',
  steps:
    'Was an einem Schritt in einer Antwort hing, steht unter der ganzen Antwort; von mehreren Modellen wird das letzte genannt.',
  system: 'Systemnachrichten mitten im Chat werden anders geschrieben.',
  'system-prompt': 'Der Systemprompt wird weggelassen.',
  tags: 'Schlagwörter werden weggelassen.',
  thinking: 'Überlegungen werden ohne ihre Signatur geschrieben.',
  trash: 'Gelöschte Nachrichten werden weggelassen.',
  usage: 'Der Verbrauch der Antworten wird ganz oder zum Teil weggelassen.',
};
