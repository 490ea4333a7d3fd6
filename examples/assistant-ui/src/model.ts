import type { ChatModelAdapter } from '@assistant-ui/react';

let count = 0;

/**
 * A model without a network. It answers with the number of questions so far, word by word. In your app, send a request
 * to your model here.
 */
export const offlineModel: ChatModelAdapter = {
  async *run({ messages, abortSignal }) {
    const asked =
      messages
        .at(-1)
        ?.content.map((part) => (part.type === 'text' ? part.text : ''))
        .join('') ?? '';
    count += 1;
    const answer = `Answer ${count} to: ${asked}${/slowly/i.test(asked) ? ' and so on'.repeat(100) : ''}`;
    let text = '';
    for (const word of answer.match(/\S+\s*/g) ?? []) {
      if (abortSignal.aborted) return;
      text += word;
      yield { content: [{ type: 'text', text }] };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
};
