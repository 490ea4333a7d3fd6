import { type FormEvent, type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { currentModels, useAppData } from '../state/app-data.ts';
import { currentChatOptions } from '../state/chat-options.ts';
import { emptyLibraryEntry, findPreset, saveLibraryEntry, useLibrary } from '../state/library.ts';
import { useUi } from '../state/ui.ts';
import { Button } from '../ui/button.tsx';

/**
 * Stores the options of the chat as a preset, with the prompt of the chosen preset. A preset of the same name keeps its
 * prompt and first messages, and gets the options.
 */
export function SaveAsPreset(): ReactElement {
  const [name, setName] = useState<string | null>(null);
  if (name === null)
    return (
      <Button small onClick={() => setName(useUi.getState().preset ?? '')}>
        {t('saveAsPreset')}
      </Button>
    );
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await savePreset(name.trim())) setName(null);
  };
  return (
    <form className="row grow" onSubmit={(event) => void save(event)}>
      <input
        ref={(field) => field?.focus()}
        className="field grow"
        aria-label={t('nameWord')}
        placeholder={t('nameWord')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button small look="primary" type="submit" disabled={name.trim() === ''}>
        {t('savePreset')}
      </Button>
    </form>
  );
}

/** Stores a preset and chooses it. False if the server refused. */
async function savePreset(name: string): Promise<boolean> {
  const { items } = useLibrary.getState();
  const same = findPreset(items, name);
  const chosen = findPreset(items, useUi.getState().preset);
  const options = { ...currentChatOptions(), models: currentModels(useAppData.getState()) };
  const entry = {
    ...(same ?? { ...emptyLibraryEntry, text: chosen?.text ?? '' }),
    kind: 'preset' as const,
    name,
    options,
  };
  const saved = await saveLibraryEntry(entry, same?.id ?? null);
  if (saved) useUi.setState({ preset: name });
  return saved;
}
