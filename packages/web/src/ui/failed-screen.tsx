import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { homeRoute, navigateTo } from '../state/router.ts';
import { Button } from './button.tsx';

/** Shown instead of a screen that failed. */
export function FailedScreen(): ReactElement {
  return (
    <main className="main alone">
      <div className="empty" role="alert">
        <h1>{t('brokenPart')}</h1>
        <p>{t('brokenPartWhy')}</p>
        <div className="row">
          <Button look="primary" onClick={() => location.reload()}>
            {t('reloadPage')}
          </Button>
          <Button onClick={() => navigateTo(homeRoute())}>{t('allTrees')}</Button>
        </div>
      </div>
    </main>
  );
}
