import { toHttpProblem } from '@coppice/client';
import type { ReactElement } from 'react';
import { t, tn } from '../i18n/index.ts';
import { removeUserFromBrowser } from '../state/offline-copies.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { Button } from '../ui/button.tsx';
import { OwnTokens } from './own-tokens.tsx';
import { SectionHead } from './section-head.tsx';
import { settingsApi } from './settings-api.ts';
import { useSignedIn } from './use-signed-in.ts';

/** Shows the signed-in user and the button to sign out. */
export function AccessSection(): ReactElement {
  const me = useSignedIn();
  const signOut = () =>
    settingsApi.signOut().then(
      // Everything of the user is removed, because others may use this browser.
      () => removeUserFromBrowser().then(() => location.assign('/')),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  const signOutEverywhere = () =>
    settingsApi.signOutEverywhere().then(
      ({ ended }) =>
        showToast({ icon: 'check', text: ended === null ? t('othersSignedOut') : tn('sessionsEnded', ended) }),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  return (
    <>
      <SectionHead title={t('accessSection')} lead={t(me?.mode === 'users' ? 'accessLeadUsers' : 'accessLead')} />
      <div className="rows">
        <div className="row-item setting-row">
          <div className="grow">
            <b>{t('thisBrowser')}</b>
            <span className="row-detail">{me === null ? '' : t('signedInAs', { name: me.name })}</span>
          </div>
          <Button small onClick={() => void signOut()}>
            {t('signOut')}
          </Button>
        </div>
        <div className="row-item setting-row">
          <div className="grow">
            <b>{t('allOthers')}</b>
            <span className="row-detail">{t('signOutEverywhereHint')}</span>
          </div>
          <Button small onClick={() => void signOutEverywhere()}>
            {t('signOutEverywhere')}
          </Button>
        </div>
      </div>
      {me?.mode === 'users' ? <OwnTokens /> : null}
    </>
  );
}
