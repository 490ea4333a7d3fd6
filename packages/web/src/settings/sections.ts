/** The sections of the settings, in the order of their list. */
import type { TextKey } from '../i18n/index.ts';
import type { IconName } from '../ui/icon.tsx';

/** The label and the icon of each section, by its name in the URL. */
export const settingsSections = {
  models: { label: 'models', icon: 'layers' },
  tools: { label: 'toolsName', icon: 'tool' },
  appearance: { label: 'appearance', icon: 'eye' },
  data: { label: 'dataSection', icon: 'folder' },
  people: { label: 'people', icon: 'people' },
  access: { label: 'accessSection', icon: 'share' },
} as const satisfies Record<string, { readonly label: TextKey; readonly icon: IconName }>;

export type SettingsSection = keyof typeof settingsSections;

export const settingsSectionNames: readonly SettingsSection[] = Object.keys(settingsSections).filter(isSection);

/** The section in a URL; by default the first one. */
export function parseSettingsSection(name: string | undefined): SettingsSection {
  return name !== undefined && isSection(name) ? name : 'models';
}

function isSection(name: string): name is SettingsSection {
  return Object.hasOwn(settingsSections, name);
}
