import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { dismissToast, useToast } from '../state/toasts.ts';
import { Icon } from './icon.tsx';
import { TranslatedTextView } from './translated-text.tsx';

/** The newest toast, at the bottom of the page. */
export function Toasts(): ReactElement {
  const toast = useToast((state) => state.toast);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toast === null ? null : (
        <div className={toast.bad ? 'toast bad' : 'toast'} key={toast.id}>
          <Icon name={toast.icon} />
          <span className="grow">
            <TranslatedTextView said={toast.text} english={toast.english} />
          </span>
          {toast.action === null ? null : (
            <button
              type="button"
              onClick={() => {
                dismissToast(toast.id);
                toast.action?.run();
              }}
            >
              {toast.action.label} {toast.action.keys === undefined ? null : <kbd>{toast.action.keys}</kbd>}
            </button>
          )}
          <button type="button" aria-label={t('close')} onClick={() => dismissToast(toast.id)}>
            <Icon name="x" />
          </button>
        </div>
      )}
    </div>
  );
}
