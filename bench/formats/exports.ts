/** Generates exports of any size in ChatGPT's format without keeping them in memory. */

const sentence = 'The quick brown fox jumps over the lazy dog; it does so again and again. ';

function idOf(conversation: number, message: number): string {
  return `${conversation.toString(16).padStart(8, '0')}-0000-4000-8000-${message.toString(16).padStart(12, '0')}`;
}

/** Builds one conversation: mostly a chain, with a fork at every thirteenth message. */
function makeConversation(number: number, messages: number): object {
  const parents: number[] = [0];
  const children: number[][] = Array.from({ length: messages + 1 }, () => []);
  let parent = 0;
  for (let at = 1; at <= messages; at++) {
    if (at % 13 === 0) parent = Math.max(0, parent - 3);
    parents[at] = parent;
    children[parent]?.push(at);
    parent = at;
  }
  const mapping: { [id: string]: object } = {};
  for (let at = 0; at <= messages; at++) {
    const id = idOf(number, at);
    const role = at % 2 === 1 ? 'user' : 'assistant';
    const message = {
      id,
      author: { role, name: null, metadata: {} },
      create_time: 1_700_000_000 + at + 0.25,
      update_time: null,
      content: { content_type: 'text', parts: [`Message ${at} of ${number}. ${sentence.repeat(6)}`] },
      status: 'finished_successfully',
      end_turn: role === 'assistant' ? true : null,
      weight: 1,
      metadata: { request_id: id, ...(role === 'assistant' ? { model_slug: 'm-x', timestamp_: 'absolute' } : {}) },
      recipient: 'all',
    };
    mapping[id] = {
      id,
      parent: at === 0 ? null : idOf(number, parents[at] ?? 0),
      children: (children[at] ?? []).map((child) => idOf(number, child)),
      message: at === 0 ? null : message,
    };
  }
  const id = idOf(number, 0);
  return {
    title: `Conversation ${number}`,
    create_time: 1_700_000_000,
    update_time: 1_700_009_999,
    mapping,
    moderation_results: [],
    current_node: idOf(number, messages),
    plugin_ids: null,
    conversation_id: id,
    is_archived: false,
    default_model_slug: 'm-x',
    id,
  };
}

/** Returns a whole export as text. */
export function makeExportText(conversations: number, messages: number): string {
  return JSON.stringify(Array.from({ length: conversations }, (_, number) => makeConversation(number, messages)));
}

/** Yields an export of about `bytes` bytes, one conversation at a time. */
export async function* makeExportStream(bytes: number, messages: number): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for (let number = 0; sent < bytes; number++) {
    const text = Buffer.from(`${number === 0 ? '[' : ','}${JSON.stringify(makeConversation(number, messages))}`);
    sent += text.length;
    yield text;
  }
  yield Buffer.from(']');
}
