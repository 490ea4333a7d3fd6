/** The types of the lines that Claude Code writes: those of a chain, and those that stand beside it and may come first. */
export const chainTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** Lines that are in no chain. */
export const asideTypes: ReadonlySet<string> = new Set([
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
