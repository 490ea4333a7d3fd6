/** Builds an assistant message from the events of a streamed or non-streamed response. */
import type { ToolUseBlock } from '@coppice/content';
import type { SignedThinking } from '@coppice/content/wires';
import type { Block, Message } from '@coppice/core';
import type { EndEvent, ProviderErrorEvent, ProviderEvent, ProviderUsage } from './contract.ts';

/** The state of a reply while its events arrive. */
export interface ModelReply {
  /** Null until the first content arrives. */
  readonly message: Message | null;
  readonly usage: ProviderUsage | null;
  /** The event that ended the reply; null while it is running. */
  readonly last: EndEvent | ProviderErrorEvent | null;
}

/** Collects the events of one reply. `reply` may be called at any time; its cost depends on the length of the text. */
export interface ReplyAccumulator {
  push(event: ProviderEvent): void;
  reply(): ModelReply;
}

interface OpenText {
  type: 'text';
  text: string;
}
interface OpenThinking {
  type: 'thinking';
  thinking: string;
  signature?: string;
  redacted?: string;
  ended: boolean;
}
interface OpenToolUse {
  type: 'tool-use';
  id: string;
  name: string;
  json: string;
  end: Extract<ProviderEvent, { type: 'tool-use-end' }> | null;
}
interface ClosedBlock {
  type: 'whole';
  block: Block;
}
type OpenPart = OpenText | OpenThinking | OpenToolUse | ClosedBlock;

/**
 * Creates an accumulator for a reply. Blocks keep the order in which they started. An unfinished tool call is kept but
 * marked as malformed, so that it does not run.
 */
export function accumulateReply(provider?: string): ReplyAccumulator {
  const parts: OpenPart[] = [];
  const calls = new Map<number, OpenToolUse>();
  let usage: ProviderUsage | null = null;
  let last: EndEvent | ProviderErrorEvent | null = null;
  const openThinking = (): OpenThinking => {
    const part = parts.at(-1);
    if (part?.type === 'thinking' && !part.ended) return part;
    const opened: OpenThinking = { type: 'thinking', thinking: '', ended: false };
    parts.push(opened);
    return opened;
  };
  return {
    push(event) {
      switch (event.type) {
        case 'text-delta': {
          const part = parts.at(-1);
          if (part?.type === 'text') part.text += event.text;
          else if (event.text !== '') parts.push({ type: 'text', text: event.text });
          break;
        }
        case 'thinking-delta':
          openThinking().thinking += event.text;
          break;
        case 'thinking-end': {
          const part = openThinking();
          if (event.signature !== undefined) part.signature = event.signature;
          if (event.redacted !== undefined) part.redacted = event.redacted;
          part.ended = true;
          break;
        }
        case 'tool-use-start': {
          const call: OpenToolUse = { type: 'tool-use', id: event.id, name: event.name, json: '', end: null };
          calls.set(event.index, call);
          parts.push(call);
          break;
        }
        case 'tool-use-delta': {
          const call = calls.get(event.index);
          if (call !== undefined) call.json += event.json;
          break;
        }
        case 'tool-use-end': {
          const call = calls.get(event.index);
          if (call !== undefined) call.end = event;
          break;
        }
        case 'image':
          parts.push({ type: 'whole', block: event.block });
          break;
        case 'usage': {
          const { type: _type, ...counts } = event;
          usage = counts;
          break;
        }
        case 'end':
        case 'error':
          last = event;
          break;
      }
    },
    reply() {
      const content: Block[] = [];
      for (const part of parts) {
        const block = toContentBlock(part, provider);
        if (block !== null) content.push(block);
      }
      return { message: content.length === 0 ? null : { role: 'assistant', content }, usage, last };
    },
  };
}

function toContentBlock(part: OpenPart, provider: string | undefined): Block | null {
  switch (part.type) {
    case 'text':
      return replyTextBlock(part.text);
    case 'thinking':
      return thinkingBlock(part, provider);
    case 'tool-use':
      return toolUseBlock(part);
    case 'whole':
      return part.block;
  }
}

function replyTextBlock(text: string): Block {
  const block = { type: 'text', text };
  return block;
}

function thinkingBlock(part: OpenThinking, provider: string | undefined): Block | null {
  const { thinking, signature, redacted } = part;
  const signed = signature !== undefined || redacted !== undefined;
  if (thinking === '' && !signed) return null;
  const block: SignedThinking = {
    type: 'thinking',
    thinking,
    ...(signature === undefined ? {} : { signature }),
    ...(redacted === undefined ? {} : { redacted }),
    ...(signed && provider !== undefined ? { provider } : {}),
  };
  return block;
}

function toolUseBlock(part: OpenToolUse): Block {
  const { id, name, json, end } = part;
  const parameters = end?.parameters ?? {};
  const malformed = end === null ? 'The reply ended inside the arguments.' : end.malformed;
  const block: ToolUseBlock & { readonly malformed?: string } = {
    type: 'tool-use',
    id,
    name,
    parameters,
    // The raw arguments are stored only if they differ from the parsed ones; some providers compare them byte for byte.
    ...(json === '' || json === JSON.stringify(parameters) ? {} : { arguments: json }),
    ...(end?.thoughtSignature === undefined ? {} : { thoughtSignature: end.thoughtSignature }),
    ...(malformed === undefined ? {} : { malformed }),
  };
  return block;
}

/** Reads a stream to its end and returns the reply. Throws only if the stream does. */
export async function collectReply(events: AsyncIterable<ProviderEvent>, provider?: string): Promise<ModelReply> {
  const fold = accumulateReply(provider);
  for await (const event of events) fold.push(event);
  return fold.reply();
}
