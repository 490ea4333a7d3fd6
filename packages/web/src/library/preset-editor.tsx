import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { ModelChips, OptionFields, ToolOptions } from '../models/options-panel.tsx';
import { type ChatOptions, defaultChatOptions } from '../state/chat-options.ts';
import {
  deleteLibraryEntry,
  emptyLibraryEntry,
  type LibraryItem,
  type PresetMessage,
  saveLibraryEntry,
} from '../state/library.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { type KeyedPresetMessage, type LibraryEntryDraft, useLibraryEntryDraft } from './use-library-entry-draft.ts';

/** One preset: name, models, prompt, parameters, tools and first messages. */
export function PresetEditor({
  item,
  onDone,
}: {
  readonly item: LibraryItem | null;
  readonly onDone: () => void;
}): ReactElement {
  const draft = useLibraryEntryDraft('preset', item);
  const { name, text, options, messages } = draft.fields;
  const models = options.models ?? [];
  const entry = {
    ...emptyLibraryEntry,
    kind: 'preset' as const,
    name: name.trim(),
    text,
    options,
    messages: messages.flatMap(({ role, content }) => (content.trim() === '' ? [] : [{ role, content }])),
  };
  const change = (set: Partial<ChatOptions>) => draft.change({ options: { ...options, ...set } });
  return (
    <div className="form grow">
      <label className="form-field half">
        <span>{t('nameWord')}</span>
        <input className="field" value={name} onChange={(event) => draft.change({ name: event.target.value })} />
      </label>
      <div className="form-field half">
        <span>{t('models')}</span>
        <ModelChips models={models} onChange={(next) => change({ models: next })} />
      </div>
      <label className="form-field">
        <span>{t('systemPrompt')}</span>
        <textarea
          className="field area"
          rows={5}
          value={text}
          onChange={(event) => draft.change({ text: event.target.value })}
        />
      </label>
      <OptionFields options={{ ...defaultChatOptions, ...options }} onChange={change} />
      <ToolOptions
        options={{ toolsOn: options.toolsOn ?? true, toolsOff: options.toolsOff ?? [] }}
        several={(options.n ?? 1) > 1 || models.length > 1}
        onChange={change}
      />
      <FirstMessages messages={messages} onChange={(next) => draft.change({ messages: next })} />
      <PresetButtons entry={entry} item={item} draft={draft} onDone={onDone} />
    </div>
  );
}

/** The messages that a new chat with this preset starts with. */
function FirstMessages({
  messages,
  onChange,
}: {
  readonly messages: readonly KeyedPresetMessage[];
  readonly onChange: (messages: readonly KeyedPresetMessage[]) => void;
}): ReactElement {
  const change = (key: number, set: Partial<PresetMessage>) =>
    onChange(messages.map((each) => (each.key === key ? { ...each, ...set } : each)));
  return (
    <fieldset className="form-field">
      <legend>{t('firstMessages')}</legend>
      {messages.map(({ key, role, content }) => (
        <div key={key} className="row">
          <select
            className="field"
            aria-label={t('roleWord')}
            value={role}
            onChange={(event) => change(key, { role: event.target.value === 'assistant' ? 'assistant' : 'user' })}
          >
            <option value="user">{t('you')}</option>
            <option value="assistant">{t('model')}</option>
          </select>
          <input
            className="field grow"
            aria-label={t('message')}
            value={content}
            onChange={(event) => change(key, { content: event.target.value })}
          />
          <IconButton
            icon="x"
            label={t('removeMessage')}
            onClick={() => onChange(messages.filter((each) => each.key !== key))}
          />
        </div>
      ))}
      <Button
        small
        look="quiet"
        icon="plus"
        onClick={() =>
          onChange([
            ...messages,
            {
              key: Math.max(0, ...messages.map(({ key }) => key + 1)),
              role: messages.length % 2 === 0 ? 'user' : 'assistant',
              content: '',
            },
          ])
        }
      >
        {t('addMessage')}
      </Button>
    </fieldset>
  );
}

interface PresetButtonsProps {
  readonly entry: typeof emptyLibraryEntry;
  /** The stored preset; null for a new one. */
  readonly item: LibraryItem | null;
  readonly draft: LibraryEntryDraft;
  readonly onDone: () => void;
}

function PresetButtons({ entry, item, draft, onDone }: PresetButtonsProps): ReactElement {
  const save = async () => {
    if (!(await saveLibraryEntry(entry, item?.id ?? null))) return;
    draft.accept(entry);
    onDone();
  };
  return (
    <div className="row foot-row">
      {item === null ? null : (
        <>
          <Button
            look="quiet"
            icon="copy"
            onClick={() => void saveLibraryEntry({ ...entry, name: t('copyOf', { name: entry.name }) }, null)}
          >
            {t('duplicateWord')}
          </Button>
          <Button look="quiet" icon="trash" onClick={() => void deleteLibraryEntry(item).then(onDone)}>
            {t('delete')}
          </Button>
        </>
      )}
      <span className="grow" />
      {draft.isChanged ? <Button onClick={draft.discard}>{t('discardChanges')}</Button> : null}
      <Button look="primary" disabled={entry.name === ''} onClick={() => void save()}>
        {t('savePreset')}
      </Button>
    </div>
  );
}
