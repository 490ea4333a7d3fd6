import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { ModelChips, OptionFields, ToolOptions } from '../models/options-panel.tsx';
import { type ChatOptions, defaultOptions } from '../state/chat-options.ts';
import {
  emptyLibraryEntry,
  type FirstMessage,
  type LibraryItem,
  removeLibraryItem,
  saveLibraryEntry,
} from '../state/library.ts';
import { Button, IconButton } from '../ui/button.tsx';

type KeyedMessage = FirstMessage & { readonly key: number };

let keys = 0;

function withKey(message: FirstMessage): KeyedMessage {
  keys++;
  return { ...message, key: keys };
}

/** One preset: name, models, prompt, parameters, tools and first messages. */
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
  // Each message has a React key, because it has no name.
  const [keyed, setKeyed] = useState<readonly KeyedMessage[]>(() => (item?.messages ?? []).map(withKey));
  const changeMessage = (key: number, set: Partial<FirstMessage>) =>
    setKeyed(keyed.map((each) => (each.key === key ? { ...each, ...set } : each)));
  const models = options.models ?? [];
  const entry = {
    ...emptyLibraryEntry,
    kind: 'preset' as const,
    name: name.trim(),
    text,
    options,
    messages: keyed.flatMap(({ role, content }) => (content.trim() === '' ? [] : [{ role, content }])),
  };
  const change = (set: Partial<ChatOptions>) => setOptions((now) => ({ ...now, ...set }));
  return (
    <div className="form grow">
      <label className="form-field">
        <span>{t('nameWord')}</span>
        <input className="field" value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <div className="form-field">
        <span>{t('models')}</span>
        <ModelChips models={models} onChange={(next) => change({ models: next })} />
      </div>
      <label className="form-field">
        <span>{t('systemPrompt')}</span>
        <textarea className="field area" rows={5} value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <OptionFields options={{ ...defaultOptions, ...options }} onChange={change} />
      <ToolOptions
        options={{ toolsOn: options.toolsOn ?? true, toolsOff: options.toolsOff ?? [] }}
        several={(options.n ?? 1) > 1 || models.length > 1}
        onChange={change}
      />
      <fieldset className="form-field">
        <legend>{t('firstMessages')}</legend>
        {keyed.map(({ key, role, content }) => (
          <div key={key} className="row">
            <select
              className="field"
              aria-label={t('roleWord')}
              value={role}
              onChange={(event) =>
                changeMessage(key, { role: event.target.value === 'assistant' ? 'assistant' : 'user' })
              }
            >
              <option value="user">{t('you')}</option>
              <option value="assistant">{t('model')}</option>
            </select>
            <input
              className="field grow"
              aria-label={t('message')}
              value={content}
              onChange={(event) => changeMessage(key, { content: event.target.value })}
            />
            <IconButton
              icon="x"
              label={t('removeMessage')}
              onClick={() => setKeyed(keyed.filter((each) => each.key !== key))}
            />
          </div>
        ))}
        <Button
          small
          look="quiet"
          icon="plus"
          onClick={() =>
            setKeyed([...keyed, withKey({ role: keyed.length % 2 === 0 ? 'user' : 'assistant', content: '' })])
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
