import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { IconButton } from '../ui/button.tsx';
import type { ZoomLevel } from './view.ts';

const levels: readonly { readonly name: ZoomLevel; readonly label: 'far' | 'mid' | 'near' }[] = [
  { name: 'far', label: 'far' },
  { name: 'mid', label: 'mid' },
  { name: 'near', label: 'near' },
];

/** The factor of one zoom step by button or key. */
export const zoomFactor = 1.25;

interface MapZoomProps {
  /** The current level; null until the map is drawn. */
  readonly level: ZoomLevel | null;
  readonly canEnlarge: boolean;
  readonly canReduce: boolean;
  readonly onLevel: (level: ZoomLevel) => void;
  readonly onZoom: (by: number) => void;
  readonly onFit: () => void;
}

/** The zoom controls of the map: three levels, smaller and larger, and the whole tree. */
export function MapZoom({ level, canEnlarge, canReduce, onLevel, onZoom, onFit }: MapZoomProps): ReactElement {
  return (
    <div className="zoom">
      <fieldset className="seg desk-only" aria-label={t('zoom')}>
        {levels.map((each) => (
          <button
            key={each.name}
            type="button"
            aria-pressed={each.name === level}
            disabled={level === null}
            onClick={() => onLevel(each.name)}
          >
            {t(each.label)}
          </button>
        ))}
      </fieldset>
      <span className="zoom-steps">
        <IconButton
          icon="minus"
          label={`${t('zoomOut')} (−)`}
          disabled={!canReduce}
          onClick={() => onZoom(1 / zoomFactor)}
        />
        <IconButton
          icon="plus"
          label={`${t('zoomIn')} (+)`}
          disabled={!canEnlarge}
          onClick={() => onZoom(zoomFactor)}
        />
        <IconButton icon="fit" label={`${t('showWholeTree')} (0)`} disabled={level === null} onClick={onFit} />
      </span>
    </div>
  );
}
