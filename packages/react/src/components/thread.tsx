import { type GenerationOptions, type GenerationResult, replyErrorOf } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { Fragment, type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useBranch, useMessage, useSession, useStreamingReply, useTree, useTreeState } from '../hooks.ts';
import { useLabels } from '../labels.ts';
import { MessageContent, type RenderBlock } from './message-content.tsx';
import { VariantSwitcher } from './variant-switcher.tsx';

/** The props of {@link Thread}. */
export interface ThreadProps {
  /** The options with which replies are generated again, and for edited questions. */
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
  const { messages, hasOlder, hasNewer, isLoadingOlder, loadOlder, loadNewer } = useBranch();
  const isLoadingNewer = useTreeState((state) => state.loadingBelow);
  const list = useRef<HTMLOListElement>(null);
  useScrollTarget(list, messages);
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
      <ol ref={list}>
        {messages.map((node) => (
          // Each version has the same key, so that the focus stays on the button that shows the next one.
          <li key={node.parentId} data-node-id={node.id}>
            {renderMessage === undefined ? (
              <ThreadMessage
                nodeId={node.id}
                {...(generation === undefined ? {} : { generation })}
                {...(renderBlock === undefined ? {} : { renderBlock })}
              />
            ) : (
              <Fragment key={node.id}>{renderMessage(node)}</Fragment>
            )}
          </li>
        ))}
      </ol>
      {hasNewer ? (
        <button type="button" disabled={isLoadingNewer} onClick={() => void loadNewer()}>
          {labels.loadNewer}
        </button>
      ) : null}
    </section>
  );
}

/** Scrolls to the message that an outline, a map or the session asks for, once it is rendered. */
function useScrollTarget(list: RefObject<HTMLOListElement | null>, messages: readonly Node[]): void {
  const target = useTreeState((state) => state.scrollTarget);
  const handled = useRef(0);
  useEffect(() => {
    if (target === null || target.requests === handled.current) return;
    if (!messages.some(({ id }) => id === target.nodeId)) return;
    handled.current = target.requests;
    list.current?.querySelector(`[data-node-id="${target.nodeId}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [list, messages, target]);
}

/** The props of {@link ThreadMessage}. */
export interface ThreadMessageProps {
  readonly nodeId: NodeId;
  readonly generation?: GenerationOptions;
  readonly renderBlock?: RenderBlock;
}

/**
 * Renders one message: its content, its versions and its buttons. An edited question is answered again; an edited reply
 * is only stored.
 */
export function ThreadMessage({ nodeId, generation, renderBlock }: ThreadMessageProps): ReactElement | null {
  const labels = useLabels();
  const { node, isUnconfirmed, edit, regenerate, remove } = useMessage(nodeId);
  const { reply, isStreaming, stop } = useStreamingReply(nodeId);
  const { actions } = useSession();
  // The component stays when another version is shown, so its state belongs to one message.
  const [editedId, setEditedId] = useState<NodeId | null>(null);
  const { problem, attempt } = useAttempts(nodeId);
  if (node === null || node.role === 'root') return null;
  const isEditing = editedId === nodeId;
  const failure = node.status === 'error' ? replyErrorOf(node) : null;
  const generate = (result: Promise<GenerationResult>) =>
    result.then((begun) => begun.problem && Promise.reject(begun.problem));
  const save = async (text: string) => {
    setEditedId(null);
    if (text.trim() === node.text.trim()) return;
    const edited = await edit(text);
    if (node.role === 'user') await generate(actions.reply(edited.nodeId, generation));
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
        <MessageEditor text={node.text} onSave={(text) => attempt(save(text))} onCancel={() => setEditedId(null)} />
      ) : (
        <MessageContent node={node} reply={reply} {...(renderBlock === undefined ? {} : { renderBlock })} />
      )}
      {failure === null ? null : <p className="coppice-error">{failure.message}</p>}
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
            onEdit={() => setEditedId(nodeId)}
            onRegenerate={() => attempt(generate(regenerate(generation)))}
            onRemove={() => attempt(remove())}
          />
        )}
      </footer>
    </article>
  );
}

/** Returns why the last action on a message failed, and a function that waits for the next one. */
function useAttempts(nodeId: NodeId): {
  readonly problem: string | null;
  readonly attempt: (action: Promise<unknown>) => void;
} {
  const [failed, setFailed] = useState<{ readonly nodeId: NodeId; readonly text: string } | null>(null);
  const attempt = (action: Promise<unknown>) => {
    setFailed(null);
    action.catch((thrown: unknown) =>
      setFailed({ nodeId, text: thrown instanceof Error ? thrown.message : String(thrown) }),
    );
  };
  return { problem: failed?.nodeId === nodeId ? failed.text : null, attempt };
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
