import { joinTextBlocks, type LiveReply } from '@coppice/client';
import { type Block, isText, type Node } from '@coppice/core';
import { createElement, type ReactElement, type ReactNode } from 'react';
import { useToolApprovals } from '../hooks.ts';
import { useLabels } from '../labels.ts';

/** Draws one block of a message; undefined leaves it to the default. */
export type RenderBlock = (block: Block, node: Node) => ReactNode | undefined;

/** What a message shows. */
export interface MessageContentProps {
  readonly node: Node;
  /** The reply while it is generated, from `useStreamingReply`. */
  readonly reply?: LiveReply | null;
  /** Draws blocks your way, for example text as Markdown. */
  readonly renderBlock?: RenderBlock;
}

/** The blocks of a message: text as it is, thinking and tool calls as details. No text ever becomes HTML. */
export function MessageContent({ node, reply = null, renderBlock }: MessageContentProps): ReactElement {
  const labels = useLabels();
  const streamed = [
    { type: 'thinking', text: reply?.thinking ?? '' },
    { type: 'text', text: reply?.text ?? '' },
  ].filter((block) => block.text !== '');
  const blocks: readonly Block[] = reply === null ? (node.message?.content ?? []) : streamed;
  const waits = blocks.length === 0 && reply !== null;
  // As single children, because blocks have no ids to be keys.
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
