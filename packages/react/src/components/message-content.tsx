import { joinTextBlocks, type LiveReply } from '@coppice/client';
import { type Block, isText, type Node } from '@coppice/core';
import { createElement, type ReactElement, type ReactNode } from 'react';
import { useToolApprovals } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** Renders one block of a message; for undefined the component renders the block itself. */
export type RenderBlock = (block: Block, node: MessageContentNode) => ReactNode | undefined;

/** The fields of a node that its content is rendered from. A node of an earlier state has no others. */
export type MessageContentNode = Pick<Node, 'id' | 'message'> & Partial<Pick<Node, 'status'>>;

/** The props of {@link MessageContent}. */
export interface MessageContentProps {
  readonly node: MessageContentNode;
  /** The reply while it is generated, from `useStreamingReply`. */
  readonly reply?: LiveReply | null;
  /** Renders blocks in your own way, for example text as Markdown. */
  readonly renderBlock?: RenderBlock;
  /** Renders a pending message in your own way; the reply is null until its first event arrives. */
  readonly renderReply?: (reply: LiveReply | null) => ReactNode;
  /** Classes in addition to `coppice-content`. */
  readonly className?: string;
}

/** Returns the blocks of a reply that is being generated. */
function blocksOfReply({ thinking, text }: LiveReply): readonly Block[] {
  return [
    { type: 'thinking', text: thinking },
    { type: 'text', text },
  ].filter((block) => block.text !== '');
}

/**
 * Renders the blocks of a message: plain text, and `details` elements for thinking and tool calls. Text is never parsed
 * as HTML.
 */
export function MessageContent(props: MessageContentProps): ReactElement {
  const { node, reply = null, renderBlock, renderReply, className = '' } = props;
  const isPending = reply !== null || node.status === 'pending';
  const blocks = reply === null ? (node.message?.content ?? []) : blocksOfReply(reply);
  const renderOne = (block: Block) => {
    const rendered = renderBlock?.(block, node);
    return rendered === undefined ? <DefaultBlock block={block} /> : rendered;
  };
  const waiting = reply !== null && blocks.length === 0 ? <WaitingText /> : null;
  const parts = isPending && renderReply !== undefined ? [renderReply(reply)] : [...blocks.map(renderOne), waiting];
  // The blocks are passed as separate children, because they have no ids that could serve as keys.
  return createElement('div', { className: `coppice-content ${className}`.trim(), 'aria-busy': isPending }, ...parts);
}

function WaitingText(): ReactElement {
  return <span className="coppice-waiting">{useLabels().loading}</span>;
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
