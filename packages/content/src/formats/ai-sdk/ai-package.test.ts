/** Compares the reader with the published AI SDK: both must read the same messages alike. */
import { convertToModelMessages, readUIMessageStream, safeValidateUIMessages, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { importIntoStore, toImportInput } from '../conformance.ts';

/** A reply that the SDK assembles from stream events. */
async function streamed(): Promise<UIMessage> {
  const events = [
    { type: 'start', messageId: 'a1' },
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Roll ' },
    { type: 'reasoning-delta', id: 'r', delta: 'it.' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 'c2ln' } } },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Let me see.' },
    { type: 'text-end', id: 't' },
    { type: 'tool-input-start', toolCallId: 'c1', toolName: 'roll' },
    { type: 'tool-input-available', toolCallId: 'c1', toolName: 'roll', input: { n: 6 } },
    { type: 'tool-output-available', toolCallId: 'c1', output: { eyes: 2 } },
    { type: 'tool-input-available', toolCallId: 'c2', toolName: 'toss', input: {}, dynamic: true },
    { type: 'tool-output-error', toolCallId: 'c2', errorText: 'lost the coin' },
    { type: 'finish-step' },
    { type: 'start-step' },
    { type: 'text-start', id: 'u' },
    { type: 'text-delta', id: 'u', delta: 'Two.' },
    { type: 'text-end', id: 'u' },
    { type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'Dice' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    { type: 'data-note', id: 'n', data: { a: 1 } },
    { type: 'finish-step' },
    { type: 'finish' },
  ] as const;
  const stream = new ReadableStream({
    start(controller) {
      for (const event of events) controller.enqueue(event);
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  if (last === undefined) throw new Error('There is no message.');
  return last;
}

const ask: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Dice?' }] };

describe('the AI SDK itself', () => {
  it('[I33] gives a model the same messages as our reader: steps, calls, results and failures', async () => {
    const messages = [ask, await streamed()];
    expect(await safeValidateUIMessages({ messages })).toMatchObject({ success: true });
    const theirs = (await convertToModelMessages(messages)).map(({ role, content }) => [
      role,
      typeof content === 'string'
        ? ['text']
        : content.flatMap((part) =>
            part.type === 'tool-result' || part.type === 'tool-call'
              ? [`${part.type} ${part.toolCallId}`]
              : [part.type],
          ),
    ]);
    const { trees, findings } = await importIntoStore(toImportInput({ 'chat.json': JSON.stringify(messages) }));
    expect(findings).toEqual([]);
    const names: Readonly<Record<string, string>> = { thinking: 'reasoning', 'tool-use': 'tool-call', image: 'file' };
    const ours: [string, string[]][] = [];
    for (const { message } of trees[0]?.nodes ?? []) {
      const result = message.role === 'tool' ? [`tool-result ${message.tool_call_id}`] : undefined;
      const parts = message.content.flatMap((block) => {
        // These parts are not sent to a model.
        if (block.type === 'source-url' || block.type.startsWith('data-')) return [];
        const name = names[block.type] ?? block.type;
        return name === 'tool-call' && 'id' in block ? [`${name} ${String(block.id)}`] : [name];
      });
      const last = ours.at(-1);
      // The SDK puts all results of one step into one message.
      if (result !== undefined && last?.[0] === 'tool') last[1].push(...result);
      else ours.push([message.role, result ?? parts]);
    }
    expect(ours).toEqual(theirs);
  });
});
