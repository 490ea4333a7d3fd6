import type { GenerationOptions } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useBranch, useMessage, useStreamingReply, useTree } from '../hooks.ts';
import { useLabels } from '../labels.ts';
import { MessageContent, type RenderBlock } from './message-content.tsx';
import { VariantSwitcher } from './variant-switcher.tsx';

/** The props of {@link Thread}. */
export interface ThreadProps {
  /** The options with which replies are generated again. */
  readonly generation?: GenerationOptions;
  readonly renderBlock?: RenderBlock;
  /** Renders a whole message in your own way; you can use the hooks inside. */
  readonly renderMessage?: (node: Node) => ReactNode;
  /** Rendered in a tree without messages. */
  readonly empty?: ReactNode;
}

/** The shown branch: its messages with their versions and buttons, and replies while they arrive. */
export function Thread({ generation, renderBlock, renderMessage, empty = null }: ThreadProps): ReactElement {
  const labels = useLabels();
  const { phase, problem, isConnected } = useTree();
  const { messages, hasOlder, isLoadingOlder, loadOlder } = useBranch();
  const status =
    phase === 'loading'
      ? labels.loading
      : phase === 'missing'
        ? labels.missing
        : phase === 'failed'
          ? (problem?.message ?? labels.offline)
          : isConnected
            ? null
            : labels.offline;
  return (
    <section className="coppice-thread" aria-busy={phase === 'loading'}>
      {status === null ? null : <p role="status">{status}</p>}
      {hasOlder ? (
        <button type="button" disabled={isLoadingOlder} onClick={() => void loadOlder()}>
          {labels.loadOlder}
        </button>
      ) : null}
      {phase === 'ready' && messages.length === 0 ? empty : null}
      <ol>
        {messages.map((node) => (
          <li key={node.id}>
            {renderMessage?.(node) ?? (
              <ThreadMessage
                nodeId={node.id}
                {...(generation === undefined ? {} : { generation })}
                {...(renderBlock === undefined ? {} : { renderBlock })}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The props of {@link ThreadMessage}. */
export interface ThreadMessageProps {
  readonly nodeId: NodeId;
  readonly generation?: GenerationOptions;
  readonly renderBlock?: RenderBlock;
}

/** One message: its content, its versions and its buttons. */
export function ThreadMessage({ nodeId, generation, renderBlock }: ThreadMessageProps): ReactElement | null {
  const labels = useLabels();
  const { node, isUnconfirmed, edit, regenerate, remove } = useMessage(nodeId);
  const { reply, isStreaming, stop } = useStreamingReply(nodeId);
  const [editing, setEditing] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (node === null || node.role === 'root') return null;
  const attempt = (act: Promise<unknown>) => {
    setProblem(null);
    act.catch((thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)));
  };
  const save = (text: string) => {
    setEditing(null);
    attempt(edit(text));
  };
  return (
    <article
      className="coppice-message"
      data-role={node.role}
      data-status={node.status}
      data-unconfirmed={isUnconfirmed}
      aria-label={labels[node.role]}
    >
      {editing === null ? (
        <MessageContent node={node} reply={reply} {...(renderBlock === undefined ? {} : { renderBlock })} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save(editing);
          }}
        >
          <textarea aria-label={labels.edit} value={editing} onChange={(event) => setEditing(event.target.value)} />
          <button type="submit" disabled={editing.trim() === ''}>
            {labels.save}
          </button>
          <button type="button" onClick={() => setEditing(null)}>
            {labels.cancel}
          </button>
        </form>
      )}
      {problem === null ? null : <p role="alert">{problem}</p>}
      <footer>
        <VariantSwitcher nodeId={nodeId} />
        {isStreaming ? (
          <button type="button" onClick={() => attempt(stop())}>
            {labels.stop}
          </button>
        ) : (
          <>
            {node.role === 'tool' ? null : (
              <button type="button" onClick={() => setEditing(node.text)}>
                {labels.edit}
              </button>
            )}
            {node.role === 'assistant' ? (
              <button
                type="button"
                onClick={() =>
                  attempt(regenerate(generation).then((result) => result.problem && Promise.reject(result.problem)))
                }
              >
                {labels.regenerate}
              </button>
            ) : null}
            <button type="button" onClick={() => attempt(remove())}>
              {labels.remove}
            </button>
          </>
        )}
      </footer>
    </article>
  );
}
