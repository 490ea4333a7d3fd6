import type { NodeId } from '@coppice/core';
import type { ReactElement } from 'react';
import { isRightToLeft, t } from '../i18n/index.ts';
import { Icon } from '../ui/icon.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';

interface VariantSwitchProps {
  readonly ids: readonly NodeId[];
  readonly at: number;
  readonly onPick: (id: NodeId) => void;
}

/** `‹ ◎ 2/4 ›`: cycles through the variants of a message; hidden if there is only one. */
export function VariantSwitch({ ids, at, onPick }: VariantSwitchProps): ReactElement | null {
  const count = ids.length;
  if (count < 2) return null;
  const step = (by: number) => {
    const id = ids[(at - 1 + by + count) % count];
    if (id !== undefined) onPick(id);
  };
  return (
    <fieldset className="var" aria-label={t('variantOf', { at, n: count })}>
      <button
        type="button"
        aria-label={t('previousVariant')}
        title={`${t('previousVariant')} (${isRightToLeft() ? '→' : '←'})`}
        onClick={() => step(-1)}
      >
        <Icon name="left" />
      </button>
      <span className="count" aria-hidden="true">
        <VariantRings count={count} at={at} />
        {at}
        <i>/{count}</i>
      </span>
      <button
        type="button"
        aria-label={t('nextVariant')}
        title={`${t('nextVariant')} (${isRightToLeft() ? '←' : '→'})`}
        onClick={() => step(1)}
      >
        <Icon name="right" />
      </button>
    </fieldset>
  );
}
