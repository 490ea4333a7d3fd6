import type { NodeId } from '@coppice/core';
import type { ReactElement, ReactNode } from 'react';
import { useVariants } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** The icon and the tooltip of one of the two buttons. */
export interface VariantButton {
  readonly icon: ReactNode;
  readonly title?: string;
}

/** The props of {@link VariantSwitcher}. */
export interface VariantSwitcherProps {
  readonly nodeId: NodeId;
  /** Renders the count between the buttons in your own way; `2/3` by default. */
  readonly renderCount?: (at: number, count: number) => ReactNode;
  /** Called with the variant to show. Without it the switcher shows the branch of that variant. */
  readonly onSelect?: (id: NodeId) => void;
  /** Replaces `‹`. */
  readonly previous?: VariantButton;
  /** Replaces `›`. */
  readonly next?: VariantButton;
  /** Classes in addition to `coppice-variants`. */
  readonly className?: string;
}

/** `‹ 2/3 ›`: shows the next or previous version of a message. Renders nothing if there is only one version. */
export function VariantSwitcher(props: VariantSwitcherProps): ReactElement | null {
  const { nodeId, renderCount, onSelect, previous = { icon: '‹' }, next = { icon: '›' }, className = '' } = props;
  const labels = useLabels();
  const { index, count, ids, show } = useVariants(nodeId);
  if (count < 2) return null;
  const at = index + 1;
  const step = (by: 1 | -1) => {
    const id = ids[(index + by + count) % count];
    if (id === undefined) return;
    // If it fails, the session shows the branch as the server has it.
    if (onSelect === undefined) show(id).catch(() => undefined);
    else onSelect(id);
  };
  return (
    <fieldset className={`coppice-variants ${className}`.trim()} aria-label={labels.variant(at, count)}>
      <button type="button" aria-label={labels.previousVariant} title={previous.title} onClick={() => step(-1)}>
        {previous.icon}
      </button>
      <span aria-hidden="true">{renderCount?.(at, count) ?? `${at}/${count}`}</span>
      <button type="button" aria-label={labels.nextVariant} title={next.title} onClick={() => step(1)}>
        {next.icon}
      </button>
    </fieldset>
  );
}
