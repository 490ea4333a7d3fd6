/** The texts of the components, and the context that replaces them. */
import { createContext, useContext } from 'react';

/** Every text that a component shows or passes to a screen reader. */
export interface Labels {
  readonly message: string;
  readonly send: string;
  readonly stop: string;
  readonly edit: string;
  readonly save: string;
  readonly cancel: string;
  readonly regenerate: string;
  readonly remove: string;
  readonly previousVariant: string;
  readonly nextVariant: string;
  /** Which of the variants is shown, counted from 1. */
  readonly variant: (at: number, count: number) => string;
  readonly loadOlder: string;
  readonly loadNewer: string;
  readonly thinking: string;
  readonly toolCall: string;
  readonly allow: string;
  readonly refuse: string;
  readonly attachment: string;
  readonly outline: string;
  /** The line of an outline that stands for a folded run of messages. */
  readonly foldedMessages: (count: number) => string;
  readonly map: string;
  readonly loading: string;
  readonly missing: string;
  readonly offline: string;
  /** Names of roles in front of messages, for screen readers. */
  readonly user: string;
  readonly assistant: string;
  readonly system: string;
  readonly tool: string;
}

/** The English texts. */
export const englishLabels: Labels = {
  message: 'Message',
  send: 'Send',
  stop: 'Stop',
  edit: 'Edit',
  save: 'Save',
  cancel: 'Cancel',
  regenerate: 'Regenerate',
  remove: 'Delete',
  previousVariant: 'Previous version',
  nextVariant: 'Next version',
  variant: (at, count) => `Version ${at} of ${count}`,
  loadOlder: 'Load older messages',
  loadNewer: 'Load newer messages',
  thinking: 'Thinking',
  toolCall: 'Tool call',
  allow: 'Allow',
  refuse: 'Refuse',
  attachment: 'Attachment',
  outline: 'Outline',
  foldedMessages: (count) => `${count} more messages`,
  map: 'Map of the chat',
  loading: 'Loading…',
  missing: 'This chat does not exist.',
  offline: 'The server cannot be reached. Your messages will be sent when it is reachable again.',
  user: 'You',
  assistant: 'Assistant',
  system: 'System',
  tool: 'Tool',
};

/**
 * Replaces the texts of the components inside: `<LabelsContext.Provider value={{ ...englishLabels, send: 'Senden' }}>`.
 */
export const LabelsContext = createContext<Labels>(englishLabels);

/** Returns the texts of the nearest {@link LabelsContext}; by default the English ones. */
export function useLabels(): Labels {
  return useContext(LabelsContext);
}
