/** From a node to what a model is sent. */
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
import { coalesce, compactionDue, contextOf, readContextPath, requestMessages } from '@coppice/core/context';
import type { ProviderRequest, ToolSpec } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { GenerateOptions } from './contract.ts';
import { generateError } from './errors.ts';
import { replyLimit } from './reply-limit.ts';
import type { TurnServices } from './turn-services.ts';

/** What one model is sent, and whether there is room for an answer. */
export interface Prompt {
  readonly model: Model;
  readonly request: Omit<ProviderRequest, 'model'>;
  /** The longest reply that the caller asked for. */
  readonly askedTokens: number | undefined;
  /** What is sent, in tokens, as far as that can be known before. */
  readonly estimate: number;
  /** Names what is in force; noted with the reply, it tells later whether the usage reported with it still holds. */
  readonly measure: string;
  /** `due`: compacting would be good; `short`: there is no room for a reply worth having. */
  readonly contextFit: 'ok' | 'due' | 'short';
}

/** What is in force at a node. Refuses an unknown node and one that is still being written. */
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

/** How a model is asked to go on with what it said. Providers differ in whether a conversation may end with a reply. */
const goOn =
  'Your reply was cut off. Go on exactly where it ends: repeat nothing, do not comment on the break, and begin with the very next character.';

/** What is particular to one reply. */
export interface PromptOptions {
  readonly options: GenerateOptions;
  readonly tools: readonly ToolSpec[];
  /** Which of the replies beside each other this is, from 0. */
  readonly index: number;
  /** Rounds of tools before this call. */
  readonly round: number;
  /** Whether the context ends with a reply to go on with. */
  readonly continues?: boolean;
}

/** The request for one model. Refuses a context that says nothing. */
export function promptFor(context: Context, model: Model, wish: PromptOptions): Prompt {
  const { options, tools } = wish;
  const { systemPrompt, messages, continues } = requestMessages(context, {
    systemInPlace: model.provider.supports.systemInPlace,
  });
  const sent: readonly Message[] = [
    ...coalesce(messages, continues),
    ...(wish.continues ? [textMessage('user', goOn)] : []),
  ];
  if (sent.length === 0)
    throw generateError('generate/invalid', 'There is nothing to answer: the conversation is empty here.');
  // A figure that was reported with an earlier reply counts the tools already.
  const described = tools.length > 0 && context.estimate.reported === null ? estimateTokens(JSON.stringify(tools)) : 0;
  const estimate = context.estimate.tokens + described;
  const { window, windowKnown } = model.info;
  const limit = replyLimit(model.info, options.maxTokens, estimate);
  const due = compactionDue(estimate, windowKnown ? window : undefined);
  return {
    model,
    askedTokens: options.maxTokens,
    estimate,
    measure: context.measure,
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
