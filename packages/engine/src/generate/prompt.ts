/** Builds the request for a model from a node. */
import { estimateTokens } from '@coppice/content';
import {
  ask,
  type Context,
  type Message,
  type NodeId,
  readTree,
  refuse,
  type TreeId,
  textMessage,
} from '@coppice/core';
import {
  buildRequestMessages,
  coalesceMessages,
  contextOf,
  isCompactionDue,
  readContextPath,
} from '@coppice/core/context';
import type { ProviderRequest, ToolSpec } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { Combination } from './combine.ts';
import type { GenerateOptions } from './contract.ts';
import { makeGenerateError } from './errors.ts';
import { computeReplyLimit } from './reply-limit.ts';
import type { TurnServices } from './turn-services.ts';

/** The request for one model, and whether a reply fits. */
export interface Prompt {
  readonly model: Model;
  readonly request: Omit<ProviderRequest, 'model'>;
  /** The reply limit that the caller asked for. */
  readonly askedTokens: number | undefined;
  /** The size of the request in tokens, estimated. */
  readonly estimate: number;
  /** Identifies the context; stored with the reply, it tells later whether the reported usage still applies. */
  readonly measure: string;
  /** `due`: compaction is advisable; `short`: a useful reply does not fit. */
  readonly contextFit: 'ok' | 'due' | 'short';
  /** The answers that the reply is made from; null for an ordinary reply. */
  readonly combination: Combination | null;
}

/** Reads the context at a node. Throws on unknown and on pending nodes. */
export async function readContext(services: TurnServices, treeId: TreeId, nodeId: NodeId): Promise<Context> {
  await services.yieldToEventLoop();
  return services.store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    const head = yield* ask('head', { id: nodeId });
    if (head === null) return refuse('tree/unknown-node', `There is no node ${nodeId}.`, { nodeId });
    if (head.status === 'pending')
      return refuse('tree/pending', `A reply is still being written into ${nodeId}: wait for it or stop it.`, {
        nodeId,
      });
    const path = head.parentId === null ? [] : yield* readContextPath(nodeId);
    return contextOf(path, { systemPrompt: row.attributes.systemPrompt, kit: services.kit });
  });
}

/** Asks a model to continue its reply. Not every provider accepts a conversation that ends with a reply. */
const goOn =
  'Your reply was cut off. Go on exactly where it ends: repeat nothing, do not comment on the break, and begin with the very next character.';

/** The options of one reply. */
export interface PromptOptions {
  readonly options: GenerateOptions;
  readonly tools: readonly ToolSpec[];
  /** The index among parallel replies, from 0. */
  readonly index: number;
  /** Rounds of tools before this call. */
  readonly round: number;
  /** Whether the context ends with a reply to continue. */
  readonly continues?: boolean;
  readonly combination?: Combination | null;
}

/** The estimated size of the answers to combine, in tokens. */
export function estimateCombinationTokens(combination: Combination | null): number {
  return combination === null ? 0 : estimateTokens(combination.text);
}

/** Builds the request for one model. Throws if the context is empty. */
export function buildPrompt(context: Context, model: Model, wish: PromptOptions): Prompt {
  const { options, tools, combination = null } = wish;
  const { systemPrompt, messages, continues } = buildRequestMessages(context, {
    systemInPlace: model.provider.supports.systemInPlace,
  });
  const contextMessages = coalesceMessages(messages, continues);
  // A reply to continue comes after the answers that it is made from.
  const end = wish.continues === true ? contextMessages.slice(-1) : [];
  const start = contextMessages.slice(0, contextMessages.length - end.length);
  const asked = combination === null ? start : coalesceMessages([...start, textMessage('user', combination.text)]);
  const sent: readonly Message[] = [...asked, ...end, ...(wish.continues ? [textMessage('user', goOn)] : [])];
  if (sent.length === 0)
    throw makeGenerateError('generate/invalid', 'There is nothing to answer: the conversation is empty here.');
  // A reported usage already includes the tools.
  const described = tools.length > 0 && context.estimate.reported === null ? estimateTokens(JSON.stringify(tools)) : 0;
  const estimate = context.estimate.tokens + described + estimateCombinationTokens(combination);
  const { window, windowKnown } = model.info;
  const limit = computeReplyLimit(model.info, options.maxTokens, estimate);
  const due = isCompactionDue(estimate, windowKnown ? window : undefined);
  return {
    model,
    askedTokens: options.maxTokens,
    estimate,
    // The answers are counted in the usage of this reply, but are not part of the context of the next one.
    measure: combination === null ? context.measure : `${context.measure} with answers`,
    combination,
    contextFit: limit.room === 'short' ? 'short' : due ? 'due' : 'ok',
    request: {
      ...(systemPrompt === null ? {} : { systemPrompt }),
      messages: sent,
      ...(tools.length === 0 ? {} : { tools }),
      ...(tools.length === 0 || wish.round > 0 ? {} : { toolChoice: options.toolChoice }),
      maxTokens: limit.maxTokens,
      temperature: options.temperature,
      topP: options.topP,
      stop: options.stop,
      seed: options.seed === undefined ? undefined : options.seed + wish.index,
      thinking: options.thinking,
    },
  };
}
