import { joinTextBlocks, type LiveReply } from '@coppice/client';
import { type Block, isText, type Node } from '@coppice/core';
import { createElement, type ReactElement, type ReactNode } from 'react';
import { useToolApprovals } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** Renders one block of a message; for undefined the component renders the block itself. */
export type RenderBlock = (block: Block, node: Node) => ReactNode | undefined;

/** The props of {@link MessageContent}. */
export interface MessageContentProps {
  readonly node: Node;
  /** The reply while it is generated, from `useStreamingReply`. */
  readonly reply?: LiveReply | null;
  /** Renders blocks in your own way, for example text as Markdown. */
  readonly renderBlock?: RenderBlock;
}

/**
 * The blocks of a message: plain text, and `details` elements for thinking and tool calls. Text is never parsed as
 * HTML.
 */
export function MessageContent({ node, reply = null, renderBlock }: MessageContentProps): ReactElement {
  const labels = useLabels();
  const streamed = [
    { type: 'thinking', text: reply?.thinking ?? '' },
    { type: 'text', text: reply?.text ?? '' },
  ].filter((block) => block.text !== '');
  const blocks: readonly Block[] = reply === null ? (node.message?.content ?? []) : streamed;
  const waits = blocks.length === 0 && reply !== null;
  // The blocks are passed as separate children, because they have no ids that could serve as keys.
  return createElement(
    'div',
    { className: 'coppice-content', 'aria-busy': reply !== null },
    ...blocks.map((block) => renderBlock?.(block, node) ?? <DefaultBlock block={block} />),
    waits ? <span className="coppice-waiting">{labels.loading}</span> : null,
  );
}

function fieldText(block: Block, ...names: readonly string[]): string {
  for (const [name, value] of Object.entries(block))
    if (names.includes(name) && typeof value === 'string' && value !== '') return value;
  return '';
}

function DefaultBlock({ block }: { readonly block: Block }): ReactElement {
  const labels = useLabels();
  if (isText(block)) return <p className="coppice-text">{block.text}</p>;
  if (block.type === 'thinking')
    return (
      <details className="coppice-thinking">
        <summary>{labels.thinking}</summary>
        <p className="coppice-text">{fieldText(block, 'text', 'thinking')}</p>
      </details>
    );
  if (block.type === 'tool-use') return <ToolCall block={block} />;
  const text = joinTextBlocks({ role: 'user', content: [block] }) || fieldText(block, 'name', 'title', 'text');
  return (
    <p className="coppice-attachment" data-type={block.type}>
      {`${labels.attachment}: ${text === '' ? block.type : text}`}
    </p>
  );
}

function ToolCall({ block }: { readonly block: Block }): ReactElement {
  const labels = useLabels();
  const { pending, approve, refuse } = useToolApprovals();
  const id = fieldText(block, 'id');
  const isPending = pending.some(({ callId }) => callId === id);
  const parameters: unknown = 'parameters' in block ? block.parameters : null;
  return (
    <div className="coppice-tool" data-waiting={isPending}>
      <details>
        <summary>{`${labels.toolCall}: ${fieldText(block, 'name')}`}</summary>
        <pre>{JSON.stringify(parameters, null, 2)}</pre>
      </details>
      {isPending ? (
        <p className="coppice-approval">
          <button type="button" onClick={() => void approve(id)}>
            {labels.allow}
          </button>
          <button type="button" onClick={() => void refuse(id)}>
            {labels.refuse}
          </button>
        </p>
      ) : null}
    </div>
  );
}
