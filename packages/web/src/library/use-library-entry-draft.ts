/** The fields of a preset or prompt while they are edited, kept until they are saved or discarded. */
import { fieldsOrEmpty, getNumber, getText, listOrEmpty } from '@coppice/core/decode';
import { useEffect, useMemo, useRef } from 'react';
import { chatOptionsToJson, parseChatOptions } from '../state/chat-options.ts';
import { emptyLibraryEntry, type LibraryEntry, type LibraryItem, type PresetMessage } from '../state/library.ts';
import { useDraft } from '../thread/use-draft.ts';

/** A message with a React key, because it has no id and its text changes. */
export type KeyedPresetMessage = PresetMessage & { readonly key: number };

type EntryFields = Pick<LibraryEntry, 'name' | 'text' | 'options'> & {
  readonly messages: readonly KeyedPresetMessage[];
};

/** The fields of an entry that is being edited, and the functions that change, discard or accept them. */
export interface LibraryEntryDraft {
  readonly fields: EntryFields;
  readonly isChanged: boolean;
  change(set: Partial<EntryFields>): void;
  /** Shows the stored fields again. */
  discard(): void;
  /** Removes the draft after the entry was stored. */
  accept(stored: LibraryEntry): void;
}

/** Writes the fields as text. Equal fields give the same text. */
function writeFields(fields: EntryFields): string {
  const { name, text, options, messages } = fields;
  return JSON.stringify({ name, text, options: chatOptionsToJson(options), messages });
}

function writeEntry({ name, text, options, messages }: LibraryEntry): string {
  return writeFields({
    name,
    text,
    options,
    messages: messages.map(({ role, content }, key) => ({ key, role, content })),
  });
}

function parseFields(json: string): EntryFields {
  const given = fieldsOrEmpty(JSON.parse(json));
  return {
    name: getText(given, 'name') ?? '',
    text: getText(given, 'text') ?? '',
    options: parseChatOptions(given.options),
    messages: listOrEmpty(given, 'messages').map((each, at) => {
      const message = fieldsOrEmpty(each);
      return {
        key: getNumber(message, 'key') ?? at,
        role: message.role === 'assistant' ? 'assistant' : 'user',
        content: getText(message, 'content') ?? '',
      };
    }),
  };
}

/** Edits a stored entry, or a new one. Changes that are not saved are there again when the editor is opened again. */
export function useLibraryEntryDraft(kind: 'preset' | 'prompt', item: LibraryItem | null): LibraryEntryDraft {
  const stored = writeEntry(item ?? emptyLibraryEntry);
  const { text: json, set, forget } = useDraft(`library.${kind}.${item?.id ?? 'new'}`, stored);
  const fields = useMemo(() => parseFields(json), [json]);
  // An entry without changes follows what another tab stores.
  const before = useRef(stored);
  useEffect(() => {
    set((now) => (now === before.current ? stored : now));
    before.current = stored;
  }, [stored, set]);
  return {
    fields,
    isChanged: json !== stored,
    change: (changed) => set((now) => writeFields({ ...parseFields(now), ...changed })),
    discard: () => {
      set(stored);
      forget();
    },
    accept: (entry) => {
      if (item !== null) set(writeEntry(entry));
      forget();
    },
  };
}
