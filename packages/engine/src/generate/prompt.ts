/** Builds the request for a model from the context at a node. */
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
import type { ReplyCombination } from './combine.ts';
import type { GenerateOptions } from './contract.ts';
import { makeGenerateError } from './errors.ts';
import { computeReplyLimit } from './reply-limit.ts';
import type { TurnServices } from './turn-services.ts';

/** The request for one model, and whether a reply fits its window. */
export interface Prompt {
  readonly model: Model;
  readonly request: Omit<ProviderRequest, 'model'>;
  /** The reply limit that the caller asked for. */
  readonly askedTokens: number | undefined;
  /** The estimated tokens of the request. */
  readonly estimate: number;
  /** Identifies the context. It is stored with the reply, and tells later whether the reported usage still applies. */
  readonly measure: string;
  /** `due`: compaction is advisable; `short`: a useful reply does not fit. */
  readonly contextFit: 'ok' | 'due' | 'short';
  /** The answers that the reply is made from; null for an ordinary reply. */
  readonly combination: ReplyCombination | null;
}

/** Reads the context at a node. Throws if the node does not exist or is a pending reply. */
export async function readContext(services: TurnServices, treeId: TreeId, nodeId: NodeId): Promise<Context> {
  await services.yieldToEventLoop();
  return services.store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    const head = yield* ask('head', { id: nodeId });
    if (head === null) return refuse('tree/unknown-node', `There is no message ${nodeId}.`, { nodeId });
    if (head.status === 'pending')
      return refuse('tree/pending', `A reply is still being written into ${nodeId}: wait for it or stop it.`, {
        nodeId,
      });
    const path = head.parentId === null ? [] : yield* readContextPath(nodeId);
    return contextOf(path, { systemPrompt: row.attributes.systemPrompt, kit: services.kit });
  });
}

/**
 * The instruction that makes a model continue its reply. Not every provider accepts a request that ends with a reply.
 */
const continueInstruction =
  'Your reply was cut off. Go on exactly where it ends: repeat nothing, do not comment on the break, and begin with the very next character.';

/** The inputs of a request besides the context: options, tools and the index of the reply. */
export interface PromptOptions {
  readonly options: GenerateOptions;
  readonly tools: readonly ToolSpec[];
  /** The index among parallel replies, from 0. */
  readonly index: number;
  /** The number of tool rounds before this call. */
  readonly round: number;
  /** Whether the last message of the context is a reply to continue. */
  readonly continues?: boolean;
  readonly combination?: ReplyCombination | null;
}

/** Estimates the tokens of the answers to combine; 0 if none are combined. */
export function estimateCombinationTokens(combination: ReplyCombination | null): number {
  return combination === null ? 0 : estimateTokens(combination.text);
}

/** Builds the request for one model. Throws if the context is empty. */
export function buildPrompt(context: Context, model: Model, wish: PromptOptions): Prompt {
  const { options, tools, combination = null } = wish;
  const { systemPrompt, messages, continues } = buildRequestMessages(context, {
    systemInPlace: model.provider.supports.systemInPlace,
  });
  const contextMessages = coalesceMessages(messages, continues);
  // The reply to continue comes last, after the answers that it is made from.
  const end = wish.continues === true ? contextMessages.slice(-1) : [];
  const start = contextMessages.slice(0, contextMessages.length - end.length);
  const promptMessages =
    combination === null ? start : coalesceMessages([...start, textMessage('user', combination.text)]);
  const sent: readonly Message[] = [
    ...promptMessages,
    ...end,
    ...(wish.continues ? [textMessage('user', continueInstruction)] : []),
  ];
  if (sent.length === 0)
    throw makeGenerateError('generate/invalid', 'There is nothing to answer: the conversation is empty here.');
  // The reported usage of the previous call already includes the tools.
  const described = tools.length > 0 && context.estimate.reported === null ? estimateTokens(JSON.stringify(tools)) : 0;
  const estimate = context.estimate.tokens + described + estimateCombinationTokens(combination);
  const { window, windowKnown } = model.info;
  const limit = computeReplyLimit(model.info, options.maxTokens, estimate);
  const due = isCompactionDue(estimate, windowKnown ? window : undefined);
  return {
    model,
    askedTokens: options.maxTokens,
    estimate,
    // The answers count in the usage of this reply but are not in the context of the next one, so the measure must
    // differ.
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
