import type { LanguageModel } from 'ai';

type OfflineModel = Extract<LanguageModel, { readonly specificationVersion: 'v3' }>;

const noTokens = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/**
 * A model without a network. It answers with the number of questions so far, word by word. The word "slowly" in the
 * question makes the answer long.
 */
export function createOfflineModel(pauseMs = 20): OfflineModel {
  let count = 0;
  const answer = (prompt: Parameters<OfflineModel['doStream']>[0]['prompt']) => {
    const last = prompt.at(-1)?.content;
    const question = Array.isArray(last) ? last.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
    count += 1;
    const words = `Answer ${count} to: ${question}`;
    return /slowly/i.test(question) ? `${words}${' and so on'.repeat(100)}` : words;
  };
  return {
    specificationVersion: 'v3',
    provider: 'offline',
    modelId: 'counting',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => ({
      content: [{ type: 'text', text: answer(prompt) }],
      finishReason: { unified: 'stop', raw: undefined },
      usage: noTokens,
      warnings: [],
    }),
    doStream: async ({ prompt, abortSignal }) => {
      const pieces = answer(prompt).match(/\S+\s*/g) ?? [];
      return {
        stream: new ReadableStream({
          async start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            controller.enqueue({ type: 'text-start', id: 'text' });
            for (const delta of pieces) {
              if (abortSignal?.aborted) return controller.close();
              controller.enqueue({ type: 'text-delta', id: 'text', delta });
              await new Promise((resolve) => setTimeout(resolve, pauseMs));
            }
            controller.enqueue({ type: 'text-end', id: 'text' });
            controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: noTokens });
            controller.close();
          },
        }),
      };
    },
  };
}
