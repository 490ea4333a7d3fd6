/** The line types of Claude Code that form chains. */
export const claudeCodeChainLineTypes: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
]);

/** The line types of Claude Code outside any chain. A file may begin with such lines. */
export const claudeCodeUnchainedLineTypes: ReadonlySet<string> = new Set([
  'summary',
  'file-history-snapshot',
  'queue-operation',
  'custom-title',
  'ai-title',
  'agent-name',
  'agent-setting',
  'permission-mode',
  'mode',
  'pr-link',
  'last-prompt',
  'bridge-session',
]);
