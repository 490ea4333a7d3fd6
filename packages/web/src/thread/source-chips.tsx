import { replySourceOf } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { t } from '../i18n/index.ts';
import { SourceMarksContext } from '../markdown/source-marks.tsx';
import { modelColourOf } from '../state/model-colours.ts';
import { useTree } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';

/** The letter of an answer in a combined reply. */
export function letterOfAnswer(index: number): string {
  return String.fromCharCode(65 + index);
}

/** Shows the marks `[A]` in a combined reply like the letters of its answers. Other messages are shown as they are. */
export function SourceLetters({ node, children }: { readonly node: Node; readonly children: ReactNode }): ReactElement {
  const combinedFrom = useMemo(() => replySourceOf(node.meta).combinedFrom, [node.meta]);
  if (combinedFrom === null) return <>{children}</>;
  return <LetterColours nodeIds={combinedFrom.nodeIds}>{children}</LetterColours>;
}

function LetterColours({
  nodeIds,
  children,
}: {
  readonly nodeIds: readonly NodeId[];
  readonly children: ReactNode;
}): ReactElement {
  const nodes = useTree((state) => state.part?.nodes);
  const colours = useMemo(
    () =>
      new Map(
        nodeIds.map((id, index) => {
          const source = nodes?.get(id);
          const model = source === undefined ? null : replySourceOf(source.meta).model;
          return [letterOfAnswer(index), model === null ? '' : modelColourOf(model)];
        }),
      ),
    [nodeIds, nodes],
  );
  return <SourceMarksContext value={colours}>{children}</SourceMarksContext>;
}

interface SourceChipsProps {
  readonly node: Node;
  /** The variants that still exist; the chips of others are disabled. */
  readonly present: readonly NodeId[];
  /** Variants that are loaded although they are not on the shown branch. */
  readonly known?: readonly Node[];
  readonly onPick: (id: NodeId) => void;
}

/** `Combined from A B C`: the answers that a reply was made from; a letter shows its answer. */
export function SourceChips({ node, present, known = [], onPick }: SourceChipsProps): ReactElement | null {
  const part = useTree((state) => state.part);
  const sources = replySourceOf(node.meta).combinedFrom?.nodeIds ?? [];
  if (sources.length === 0) return null;
  return (
    <span className="chip sources">
      <Icon name="merge" />
      {t('combinedFrom')}
      {sources.map((id, index) => {
        const letter = letterOfAnswer(index);
        const source = known.find((each) => each.id === id) ?? part?.nodes.get(id);
        const model = source === undefined ? null : replySourceOf(source.meta).model;
        const isPresent = present.includes(id);
        const label = isPresent ? t('sourceNamed', { letter, name: model ?? t('model') }) : t('sourceGone', { letter });
        return (
          <button
            key={id}
            type="button"
            className={`source ${isPresent ? modelColourOf(model ?? '') : ''}`}
            aria-label={label}
            title={label}
            disabled={!isPresent}
            onClick={() => onPick(id)}
          >
            <span>{letter}</span>
          </button>
        );
      })}
    </span>
  );
}
