import type { ReactElement } from 'react';
import { currentLanguage, languages, setLanguage, t } from '../i18n/index.ts';
import { setTheme, useUi } from '../state/ui.ts';
import { SectionHead } from './section-head.tsx';

/** Theme and language. */
export function AppearanceSection(): ReactElement {
  const theme = useUi((ui) => ui.theme);
  return (
    <>
      <SectionHead title={t('appearance')} lead={t('appearanceHint')} />
      <div className="rows">
        <div className="row-item setting-row">
          <span className="grow">{t('theme')}</span>
          <div className="seg">
            {(['system', 'light', 'dark'] as const).map((each) => (
              <button key={each} type="button" aria-pressed={each === theme} onClick={() => setTheme(each)}>
                {t(each === 'system' ? 'themeSystem' : each === 'light' ? 'themeLight' : 'themeDark')}
              </button>
            ))}
          </div>
        </div>
        <div className="row-item setting-row">
          <span className="grow">{t('language')}</span>
          <div className="seg">
            {(Object.keys(languages) as (keyof typeof languages)[]).map((each) => (
              <button
                key={each}
                type="button"
                lang={each}
                aria-pressed={each === currentLanguage()}
                onClick={() => void setLanguage(each).then(() => location.reload())}
              >
                {languages[each]}
              </button>
            ))}
          </div>
        </div>
      </div>
    </>
  );
}
