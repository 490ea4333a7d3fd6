import { systemClock } from '../clock.ts';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../contract.ts';
import { defineProvider } from '../define.ts';
import { throwProviderFailure } from '../errors.ts';
import { loadWordCorpus } from './babble/words.ts';
import { generateBabbleText, guessTopicWords } from './babble/write.ts';
import { createSeededRandom } from './random.ts';
import { estimateUsage, streamTextByWord } from './stream-text.ts';

const price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } as const;
const size = { window: 131_072, maxOut: 8192, price } as const;

async function* guide(request: ProviderRequest, random: () => number): AsyncGenerator<ProviderEvent | string> {
  // Loaded with the first question, because the guide contains all documents and most programs never ask it.
  const [{ answerQuestion, findLastQuestion }, { chooseToolCall }] = await Promise.all([
    import('./guide/answer.ts'),
    import('./guide/tools.ts'),
  ]);
  const call = chooseToolCall(request, findLastQuestion(request.messages));
  if (call === null) {
    yield answerQuestion(request, random);
    return;
  }
  const json = JSON.stringify(call.parameters);
  // The id is empty; `EventOrderNormaliser` assigns one that is unused in this conversation.
  yield { type: 'tool-use-start', index: 0, id: '', name: call.name };
  yield { type: 'tool-use-delta', index: 0, json };
  yield { type: 'tool-use-end', index: 0, parameters: call.parameters };
  yield estimateUsage(request, Math.ceil((call.name.length + json.length) / 4));
  yield { type: 'end', finishReason: 'tool-use', raw: 'tool-use' };
}

function* nonsense(request: ProviderRequest, random: () => number): Generator<ProviderEvent | string> {
  const length = Math.min(request.maxTokens ?? Number.POSITIVE_INFINITY, 40 + Math.floor(random() * 120));
  yield generateBabbleText(loadWordCorpus(), {
    temperature: request.temperature ?? 0.8,
    random,
    topics: guessTopicWords(request.messages),
    length,
  });
}

type OfflineWriter = (
  request: ProviderRequest,
  random: () => number,
) => Iterable<ProviderEvent | string> | AsyncIterable<ProviderEvent | string>;

const models: ReadonlyMap<string, OfflineWriter> = new Map<string, OfflineWriter>([
  ['guide', guide],
  ['babble', nonsense],
]);

async function* stream(request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent, void, void> {
  const write = models.get(request.model);
  if (write === undefined)
    return throwProviderFailure(
      'provider/unknown-model',
      `There is no offline model ${JSON.stringify(request.model)}; there are ${[...models.keys()].join(' and ')}.`,
    );
  const clock = call.clock ?? systemClock;
  const seed = request.seed ?? Math.floor(clock.random() * 2 ** 32);
  for await (const each of write(request, createSeededRandom(seed))) {
    if (typeof each === 'string') yield* streamTextByWord(each, request, call);
    else yield each;
  }
}

/**
 * Models that need neither key nor network: a guide to the documentation and a generator of nonsense. Neither is a
 * language model.
 */
export const offline = defineProvider({
  name: 'offline',
  label: 'Offline (no language model)',
  baseUrl: null,
  defaultModel: 'guide',
  models: [
    { id: 'guide', label: 'Guide to the documentation (no language model)', ...size },
    { id: 'babble', label: 'Nonsense after Moby-Dick (no language model)', ...size },
  ],
  closed: true,
  supports: {
    blocks: ['text', 'tool-use'],
    tools: true,
    toolChoice: true,
    thinking: false,
    images: false,
    systemInPlace: true,
    seed: true,
    streaming: true,
  },
  parameters: {
    temperature: { min: 0, max: 2 },
    stop: { most: 16 },
    seed: { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
  },
  stream,
});
