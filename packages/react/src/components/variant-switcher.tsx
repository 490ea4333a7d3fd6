import type { NodeId } from '@coppice/core';
import type { ReactElement, ReactNode } from 'react';
import { useVariants } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** The props of {@link VariantSwitcher}. */
export interface VariantSwitcherProps {
  readonly nodeId: NodeId;
  /** Renders the count between the buttons in your own way; `2/3` by default. */
  readonly renderCount?: (at: number, count: number) => ReactNode;
}

/** `‹ 2/3 ›`: shows the next or previous version of a message. Renders nothing if there is only one version. */
export function VariantSwitcher({ nodeId, renderCount }: VariantSwitcherProps): ReactElement | null {
  const labels = useLabels();
  const { index, count, next, previous } = useVariants(nodeId);
  if (count < 2) return null;
  const at = index + 1;
  const label = labels.variant.replace('{at}', String(at)).replace('{count}', String(count));
  return (
    <fieldset className="coppice-variants" aria-label={label}>
      <button type="button" aria-label={labels.previousVariant} onClick={() => void previous()}>
        ‹
      </button>
      <span aria-hidden="true">{renderCount?.(at, count) ?? `${at}/${count}`}</span>
      <button type="button" aria-label={labels.nextVariant} onClick={() => void next()}>
        ›
      </button>
    </fieldset>
  );
}
