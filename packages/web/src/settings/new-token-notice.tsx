import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';

/** A new token, which the server never shows again. */
export function NewTokenNotice({
  label,
  secret,
  onDone,
}: {
  readonly label: string;
  readonly secret: string;
  readonly onDone: () => void;
}): ReactElement {
  return (
    <div className="settings-form" role="status">
      <p className="help">
        <b>{label}</b> {t('shownOnce')}
      </p>
      <div className="input-row">
        <input
          className="input mono"
          readOnly
          value={secret}
          aria-label={t('newToken')}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton text={secret} label={t('copyToken')} />
        <Button look="primary" onClick={onDone}>
          {t('done')}
        </Button>
      </div>
    </div>
  );
}
