import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { hush, useToast } from '../state/toasts.ts';
import { Icon } from './icon.tsx';
import { Words } from './refusal.tsx';

/** The newest toast, at the foot of the page. */
export function Toasts(): ReactElement {
  const toast = useToast((state) => state.toast);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toast === null ? null : (
        <div className={toast.bad ? 'toast bad' : 'toast'} key={toast.id}>
          <Icon name={toast.icon} />
          <span className="grow">
            <Words said={toast.text} english={toast.english} />
          </span>
          {toast.action === null ? null : (
            <button
              type="button"
              onClick={() => {
                hush(toast.id);
                toast.action?.run();
              }}
            >
              {toast.action.label} {toast.action.keys === undefined ? null : <kbd>{toast.action.keys}</kbd>}
            </button>
          )}
          <button type="button" aria-label={t('close')} onClick={() => hush(toast.id)}>
            <Icon name="x" />
          </button>
        </div>
      )}
    </div>
  );
}
