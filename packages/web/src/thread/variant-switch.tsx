import type { NodeId } from '@coppice/core';
import { VariantSwitcher } from '@coppice/react';
import type { ReactElement } from 'react';
import { isRightToLeft, t } from '../i18n/index.ts';
import { switchToVariant } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';
import { VariantRings } from '../ui/variant-rings.tsx';

/** `‹ ◎ 2/4 ›`: cycles through the variants of a message; hidden if there is only one. */
export function VariantSwitch({ nodeId }: { readonly nodeId: NodeId }): ReactElement {
  const session = useSession();
  const [back, forward] = isRightToLeft() ? ['→', '←'] : ['←', '→'];
  return (
    <VariantSwitcher
      className="var"
      nodeId={nodeId}
      previous={{ icon: <Icon name="left" />, title: `${t('previousVariant')} (${back})` }}
      next={{ icon: <Icon name="right" />, title: `${t('nextVariant')} (${forward})` }}
      renderCount={(at, count) => (
        <span className="count">
          <VariantRings count={count} at={at} />
          {at}
          <i>/{count}</i>
        </span>
      )}
      onSelect={(id) => switchToVariant(session, id)}
    />
  );
}
