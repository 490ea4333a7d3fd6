import { type ReactElement, useEffect } from 'react';
import { DrawerButton, Scrim } from '../home/sidebar.tsx';
import { t } from '../i18n/index.ts';
import { homeRoute, navigateTo, routeBeforeSettings } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { Icon } from '../ui/icon.tsx';
import { PageLink } from '../ui/link.tsx';
import { LogoMark } from '../ui/logo.tsx';
import { AccessSection } from './access-section.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { DataSection } from './data-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { PeopleSection } from './people-section.tsx';
import { type SettingsSection, settingsSectionNames, settingsSections } from './sections.ts';
import { ToolsSection } from './tools-section.tsx';
import { useSignedIn } from './use-signed-in.ts';

const contents: Readonly<Record<SettingsSection, () => ReactElement>> = {
  models: ModelsSection,
  tools: ToolsSection,
  appearance: AppearanceSection,
  data: DataSection,
  people: PeopleSection,
  access: AccessSection,
};

/** The settings of page and server, one section at a time. */
export function SettingsScreen({ section }: { readonly section: SettingsSection }): ReactElement {
  const Content = contents[section];
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      // Dialogs, menus and fields handle the key themselves.
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open], [role="menu"]'))
        return;
      if (event.target instanceof HTMLInputElement) return;
      navigateTo(routeBeforeSettings());
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, []);
  return (
    <div className="app two">
      <SettingsRail section={section} />
      <main className="main">
        <div className="bar phone-only settings-bar">
          <DrawerButton />
          <b className="grow">{t(settingsSections[section].label)}</b>
        </div>
        <div className="settings-page">
          <div className="settings-column">
            <Content />
          </div>
        </div>
      </main>
    </div>
  );
}

function SettingsRail({ section }: { readonly section: SettingsSection }): ReactElement {
  const drawer = useUi((ui) => ui.drawer);
  const me = useSignedIn();
  const isAdmin = me?.mode === 'users' && me.role === 'admin';
  return (
    <>
      {drawer ? <Scrim /> : null}
      <nav className={drawer ? 'rail drawer' : 'rail'} aria-label={t('settings')}>
        <div className="bar">
          <PageLink className="logo grow" to={homeRoute()}>
            <LogoMark />
            Coppice
          </PageLink>
        </div>
        <div className="list">
          <PageLink to={routeBeforeSettings()}>
            <Icon name="left" />
            <span className="grow">{t('backToChats')}</span>
            <kbd>Esc</kbd>
          </PageLink>
        </div>
        <div className="sect spaced">
          <span>{t('settings')}</span>
        </div>
        <div className="list">
          {settingsSectionNames
            .filter((name) => name !== 'people' || isAdmin)
            .map((name) => (
              <PageLink key={name} to={{ name: 'settings', section: name }} current={name === section}>
                <Icon name={settingsSections[name].icon} />
                <span className="grow">{t(settingsSections[name].label)}</span>
              </PageLink>
            ))}
          <PageLink to={{ name: 'library' }}>
            <Icon name="lines" />
            <span className="grow">{t('library')}</span>
          </PageLink>
        </div>
      </nav>
    </>
  );
}
