import { type ReactElement, useId } from 'react';
import { currentLanguage, languageCodes, languages, setLanguage, t } from '../i18n/index.ts';
import { canNotify, toggleNotifications, useNotificationSetting } from '../state/notify.ts';
import { setTheme, useUi } from '../state/ui.ts';
import { Switch } from '../ui/switch.tsx';
import { SectionHead } from './section-head.tsx';

/** The section of the settings for theme, language and notifications. */
export function AppearanceSection(): ReactElement {
  const id = useId();
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
          <label className="grow" htmlFor={id}>
            {t('language')}
          </label>
          <select
            id={id}
            className="input select"
            value={currentLanguage()}
            onChange={(event) => {
              const next = languageCodes.find((code) => code === event.target.value);
              if (next !== undefined) void setLanguage(next).then(() => location.reload());
            }}
          >
            {languageCodes.map((code) => (
              <option key={code} value={code} lang={code}>
                {languages[code]}
              </option>
            ))}
          </select>
        </div>
        {canNotify() ? <NotifyRow /> : null}
      </div>
    </>
  );
}

function NotifyRow(): ReactElement {
  const on = useNotificationSetting((notify) => notify.on);
  const denied = Notification.permission === 'denied';
  const id = useId();
  return (
    <div className="row-item setting-row">
      <label className="grow" htmlFor={id}>
        <b>{t('notifySetting')}</b>
        <span className="row-detail">{t(denied ? 'notifyBlocked' : 'notifyHint')}</span>
      </label>
      <Switch id={id} on={on} disabled={denied} onChange={(isOn) => void toggleNotifications(isOn)} />
    </div>
  );
}
