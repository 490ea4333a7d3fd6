/** The page of a stock app with the AI SDK, without the changes that the README describes. */
import { useChat } from '@ai-sdk/react';

export function Page({ id }: { readonly id: string }) {
  const { messages, sendMessage, stop, status } = useChat({ id });
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <p key={message.id}>{message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}</p>
      ))}
      <button type="button" onClick={() => void sendMessage({ text: 'How long does dough rise?' })}>
        Send
      </button>
      <button type="button" onClick={() => void stop()}>
        Stop
      </button>
    </main>
  );
}
