import type { NodeId } from '@coppice/core';
import type { ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { IconButton } from '../ui/button.tsx';
import type { MapViewState } from './use-map-view.ts';
import { type ZoomLevel, zoomLevelOf } from './view.ts';

const levels: readonly { readonly name: ZoomLevel; readonly label: 'far' | 'mid' | 'near' }[] = [
  { name: 'far', label: 'far' },
  { name: 'mid', label: 'mid' },
  { name: 'near', label: 'near' },
];

/** The factor of one zoom step by button or key. */
export const zoomFactor = 1.25;

interface MapZoomProps {
  readonly mapView: MapViewState;
  /** The message in the middle when the level changes. */
  readonly target: NodeId | null;
}

/** The zoom controls of the map: three levels, smaller and larger, and the whole tree. */
export function MapZoom({ mapView, target }: MapZoomProps): ReactElement {
  const { view, bounds, zoom, showLevel, showWhole } = mapView;
  const level = view === null ? null : zoomLevelOf(view);
  return (
    <div className="zoom">
      <fieldset className="seg desk-only" aria-label={t('zoom')}>
        {levels.map((each) => (
          <button
            key={each.name}
            type="button"
            aria-pressed={each.name === level}
            disabled={level === null}
            onClick={() => showLevel(each.name, target)}
          >
            {t(each.label)}
          </button>
        ))}
      </fieldset>
      <span className="zoom-steps">
        <IconButton
          icon="minus"
          label={`${t('zoomOut')} (−)`}
          disabled={bounds === null || bounds.least >= 0.999}
          onClick={() => zoom(1 / zoomFactor)}
        />
        <IconButton
          icon="plus"
          label={`${t('zoomIn')} (+)`}
          disabled={bounds === null || bounds.most <= 1.001}
          onClick={() => zoom(zoomFactor)}
        />
        <IconButton icon="fit" label={`${t('showWholeTree')} (0)`} disabled={level === null} onClick={showWhole} />
      </span>
    </div>
  );
}
