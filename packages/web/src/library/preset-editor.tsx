import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { ModelMenu } from '../models/model-menu.tsx';
import { OptionFields } from '../models/options-panel.tsx';
import { type ChatOptions, defaultOptions } from '../state/chat-options.ts';
import { type FirstMessage, type LibraryItem, removeLibraryItem, saveLibraryEntry } from '../state/library.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';

/** One preset: name, models, prompt, parameters and first messages. */
export function PresetEditor({
  item,
  onDone,
}: {
  readonly item: LibraryItem | null;
  readonly onDone: () => void;
}): ReactElement {
  const [name, setName] = useState(item?.name ?? '');
  const [text, setText] = useState(item?.text ?? '');
  const [options, setOptions] = useState<Partial<ChatOptions>>(item?.options ?? {});
  const [messages, setMessages] = useState<readonly FirstMessage[]>(item?.messages ?? []);
  const models = options.models ?? [];
  const entry = {
    kind: 'preset' as const,
    name: name.trim(),
    text,
    folder: null,
    options,
    messages: messages.filter((message) => message.content.trim() !== ''),
  };
  const setModels = (next: readonly string[]) => setOptions({ ...options, models: next });
  return (
    <div className="form grow">
      <label className="form-field">
        <span>{t('nameWord')}</span>
        <input className="field" value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <div className="form-field">
        <span>{t('models')}</span>
        <span className="option-chips">
          {models.map((id) => (
            <span key={id} className="chip">
              <ModelName model={id} />
              <button
                type="button"
                aria-label={t('removeNamed', { name: id })}
                onClick={() => setModels(models.filter((each) => each !== id))}
              >
                <Icon name="x" size={12} />
              </button>
            </span>
          ))}
          <ModelMenu
            chosen={null}
            without={models}
            onPick={(id) => setModels([...models, id])}
            trigger={
              <button type="button" className="chip">
                <Icon name="plus" size={12} />
                {t('addModel')}
              </button>
            }
          />
        </span>
      </div>
      <label className="form-field">
        <span>{t('systemPrompt')}</span>
        <textarea className="field area" rows={5} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <OptionFields
        options={{ ...defaultOptions, ...options }}
        onChange={(set) => setOptions((now) => ({ ...now, ...set }))}
      />
      <fieldset className="form-field">
        <legend>{t('firstMessages')}</legend>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message has no name but its place.
          <div key={index} className="row">
            <select
              className="field"
              aria-label={t('roleWord')}
              value={message.role}
              onChange={(event) =>
                setMessages(
                  messages.map((each, at) =>
                    at === index ? { ...each, role: event.target.value === 'assistant' ? 'assistant' : 'user' } : each,
                  ),
                )
              }
            >
              <option value="user">{t('you')}</option>
              <option value="assistant">{t('model')}</option>
            </select>
            <input
              className="field grow"
              aria-label={t('message')}
              value={message.content}
              onChange={(event) =>
                setMessages(
                  messages.map((each, at) => (at === index ? { ...each, content: event.target.value } : each)),
                )
              }
            />
            <IconButton
              icon="x"
              label={t('removeMessage')}
              onClick={() => setMessages(messages.filter((_each, at) => at !== index))}
            />
          </div>
        ))}
        <Button
          small
          look="quiet"
          icon="plus"
          onClick={() =>
            setMessages([...messages, { role: messages.length % 2 === 0 ? 'user' : 'assistant', content: '' }])
          }
        >
          {t('addMessage')}
        </Button>
      </fieldset>
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
            <Button look="quiet" icon="trash" onClick={() => void removeLibraryItem(item.id).then(onDone)}>
              {t('delete')}
            </Button>
          </>
        )}
        <span className="grow" />
        <Button
          look="primary"
          disabled={entry.name === ''}
          onClick={() => void saveLibraryEntry(entry, item?.id ?? null).then((saved) => (saved ? onDone() : undefined))}
        >
          {t('savePreset')}
        </Button>
      </div>
    </div>
  );
}
