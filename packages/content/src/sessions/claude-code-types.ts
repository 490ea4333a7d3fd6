/** The line types of Claude Code: those that form chains, and those beside them, which may come first. */
export const chainLineTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** Lines outside any chain. */
export const otherLineTypes: ReadonlySet<string> = new Set([
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
