import { useTreeChat } from '@coppice/ai-sdk/react';
import { type ReactElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

type Chat = ReturnType<typeof useTreeChat>;
type Shown = Chat['messages'][number];

function textOf(message: Shown): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function Message({ message, chat }: { readonly message: Shown; readonly chat: Chat }): ReactElement {
  const { tree, regenerate } = chat;
  const [draft, setDraft] = useState<string | null>(null);
  const { index, count } = tree.variants(message.id);
  return (
    <li data-role={message.role}>
      {draft === null ? (
        <p>{textOf(message)}</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void tree.edit(message.id, draft);
            setDraft(null);
          }}
        >
          <input aria-label="New version" value={draft} onChange={(event) => setDraft(event.target.value)} />
          <button type="submit">Save</button>
        </form>
      )}
      {count > 1 ? (
        <span>
          <button type="button" aria-label="Previous version" onClick={() => void tree.previous(message.id)}>
            ‹
          </button>
          <output>{`${index + 1}/${count}`}</output>
          <button type="button" aria-label="Next version" onClick={() => void tree.next(message.id)}>
            ›
          </button>
        </span>
      ) : null}
      <button type="button" onClick={() => setDraft(textOf(message))}>
        Edit
      </button>
      {message.role === 'assistant' ? (
        <button type="button" onClick={() => void regenerate({ messageId: message.id })}>
          Regenerate
        </button>
      ) : null}
    </li>
  );
}

function App(): ReactElement {
  const chat = useTreeChat({ id: new URLSearchParams(location.search).get('chat') ?? 'first' });
  const { messages, sendMessage, stop, status, error, tree } = chat;
  const [text, setText] = useState('');
  const isBusy = status === 'submitted' || status === 'streaming';
  return (
    <main data-ready={tree.isReady} data-status={status}>
      <ol>
        {messages.map((message) => (
          <Message key={message.id} message={message} chat={chat} />
        ))}
      </ol>
      {tree.runs.map((run) => (
        <button key={run.id} type="button" onClick={() => void tree.select(run.id)}>
          {`Being answered: ${run.text}`}
        </button>
      ))}
      <p role="alert">{error?.message ?? tree.error?.message}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText('');
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
        <button type="button" disabled={!isBusy} onClick={() => void stop()}>
          Stop
        </button>
        <button type="button" onClick={() => void tree.undo()}>
          Undo
        </button>
      </form>
    </main>
  );
}

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
