import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { choosePreset, findPreset, type LibraryItem, useLibrary } from '../state/library.ts';
import { navigateTo } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { useOptionalSession } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { offerPresetPrompt } from './offer-preset-prompt.ts';

/**
 * The presets. In a new chat the selected one provides prompt and first messages; in a chat with messages it changes
 * model, parameters and tools in place, and another prompt is offered as a copy.
 */
export function PresetMenu({ disabled }: { readonly disabled: boolean }): ReactElement {
  const session = useOptionalSession();
  const presets = useLibrary((library) => library.items).filter((item) => item.kind === 'preset');
  const chosen = useUi((ui) => ui.preset);
  const shown = findPreset(presets, chosen);
  const pick = (preset: LibraryItem | null) => {
    choosePreset(preset);
    if (session !== null && preset !== null) offerPresetPrompt(session, preset);
  };
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="pill"
          disabled={disabled}
          aria-label={shown === null ? t('preset') : t('presetIs', { name: shown.name })}
        >
          <Icon name="lines" />
          <span className="desk-only clip">{shown?.name ?? t('preset')}</span>
          <Icon name="down" size={13} />
        </button>
      }
    >
      <MenuItem checked={shown === null} onSelect={() => pick(null)}>
        {t('noPreset')}
      </MenuItem>
      {presets.map((preset) => (
        <MenuItem key={preset.id} checked={preset === shown} onSelect={() => pick(preset)}>
          {preset.name}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon="gear" onSelect={() => navigateTo({ name: 'library' })}>
        {t('library')}
      </MenuItem>
    </Menu>
  );
}
