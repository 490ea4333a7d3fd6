import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { VariantRings } from '../ui/variant-rings.tsx';

/** Explains the shapes on the map: messages by author, forks, and interrupted replies. */
export function MapLegend(): ReactElement {
  return (
    <div className="legend">
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <circle className="l-you" cx="6" cy="6" r="4" />
        </svg>
        {t('you')}
      </span>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <circle className="l-model" cx="6" cy="6" r="3.6" />
        </svg>
        {t('model')}
      </span>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <rect className="l-you" x="3" y="3" width="6" height="6" rx="1" />
        </svg>
        {t('tool')}
      </span>
      <span>
        <VariantRings count={3} at={2} size={18} />
        {t('forkRings')}
      </span>
      <span>
        <svg width="18" height="12" aria-hidden="true">
          <path className="l-cut" d="M1 9 17 3" />
        </svg>
        {t('interrupted')}
      </span>
    </div>
  );
}
