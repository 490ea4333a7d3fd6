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

/** Renders the shown branch: its messages with their versions and buttons, and replies while they arrive. */
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

/** Renders one message: its content, its versions and its buttons. */
export function ThreadMessage({ nodeId, generation, renderBlock }: ThreadMessageProps): ReactElement | null {
  const labels = useLabels();
  const { node, isUnconfirmed, edit, regenerate, remove } = useMessage(nodeId);
  const { reply, isStreaming, stop } = useStreamingReply(nodeId);
  const [isEditing, setEditing] = useState(false);
  const { problem, attempt } = useAttempts();
  if (node === null || node.role === 'root') return null;
  const save = (text: string) => {
    setEditing(false);
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
      {isEditing ? (
        <MessageEditor text={node.text} onSave={save} onCancel={() => setEditing(false)} />
      ) : (
        <MessageContent node={node} reply={reply} {...(renderBlock === undefined ? {} : { renderBlock })} />
      )}
      {problem === null ? null : <p role="alert">{problem}</p>}
      <footer>
        <VariantSwitcher nodeId={nodeId} />
        {isStreaming ? (
          <button type="button" onClick={() => attempt(stop())}>
            {labels.stop}
          </button>
        ) : (
          <MessageButtons
            role={node.role}
            onEdit={() => setEditing(true)}
            onRegenerate={() =>
              attempt(regenerate(generation).then((result) => result.problem && Promise.reject(result.problem)))
            }
            onRemove={() => attempt(remove())}
          />
        )}
      </footer>
    </article>
  );
}

/** Returns why the last action failed, and a function that waits for the next one. */
function useAttempts(): { readonly problem: string | null; readonly attempt: (action: Promise<unknown>) => void } {
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = (action: Promise<unknown>) => {
    setProblem(null);
    action.catch((thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)));
  };
  return { problem, attempt };
}

interface MessageEditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function MessageEditor({ text, onSave, onCancel }: MessageEditorProps): ReactElement {
  const labels = useLabels();
  const [edited, setEdited] = useState(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(edited);
      }}
    >
      <textarea aria-label={labels.edit} value={edited} onChange={(event) => setEdited(event.target.value)} />
      <button type="submit" disabled={edited.trim() === ''}>
        {labels.save}
      </button>
      <button type="button" onClick={onCancel}>
        {labels.cancel}
      </button>
    </form>
  );
}

interface MessageButtonsProps {
  readonly role: Node['role'];
  readonly onEdit: () => void;
  readonly onRegenerate: () => void;
  readonly onRemove: () => void;
}

/**
 * Renders the buttons of a complete message. Results of tools cannot be edited, and only replies can be regenerated.
 */
function MessageButtons({ role, onEdit, onRegenerate, onRemove }: MessageButtonsProps): ReactElement {
  const labels = useLabels();
  return (
    <>
      {role === 'tool' ? null : (
        <button type="button" onClick={onEdit}>
          {labels.edit}
        </button>
      )}
      {role === 'assistant' ? (
        <button type="button" onClick={onRegenerate}>
          {labels.regenerate}
        </button>
      ) : null}
      <button type="button" onClick={onRemove}>
        {labels.remove}
      </button>
    </>
  );
}
