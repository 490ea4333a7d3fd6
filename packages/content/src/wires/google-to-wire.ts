/** Google generateContent: converts a request to the body. Pure. */
import { type Block, isText, type Json, type JsonObject, type Message } from '@coppice/core';
import {
  indexToolCallNames,
  isFileBlock,
  isImageBlock,
  isThinkingBlock,
  isToolCall,
  toWireText,
} from './block-guards.ts';
import type { ProviderRequest, ThinkingOptions, ToolChoice } from './contract.ts';

/** A part of a turn: text, bytes, a call or its result. */
export interface GooglePart {
  text?: string;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  functionCall?: { name: string; args: JsonObject };
  functionResponse?: { name: string; response: JsonObject };
}

/** A turn of a request body. */
export interface GoogleContent {
  role: 'user' | 'model';
  parts: GooglePart[];
}

/** The body of a generateContent request; the model is part of the URL. */
export interface GoogleBody {
  contents: GoogleContent[];
  systemInstruction?: { parts: { text: string }[] };
  tools?: { functionDeclarations: { name: string; description: string; parametersJsonSchema: JsonObject }[] }[];
  toolConfig?: { functionCallingConfig: { mode: 'AUTO' | 'NONE' | 'ANY'; allowedFunctionNames?: string[] } };
  generationConfig: Record<string, Json>;
}

const budgets = { low: 2048, medium: 8192, high: 24_576 } as const;

/** Builds the body of a request. The caller has already lowered unsupported blocks. */
export function toGoogleBody(request: ProviderRequest): GoogleBody {
  const { systemPrompt, tools, toolChoice, temperature, topP, stop, seed, thinking } = request;
  return {
    contents: toGoogleContents(request.messages),
    ...(systemPrompt === undefined ? {} : { systemInstruction: { parts: [{ text: systemPrompt }] } }),
    ...(tools === undefined
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                parametersJsonSchema: parameters,
              })),
            },
          ],
        }),
    ...(toolChoice === undefined ? {} : { toolConfig: { functionCallingConfig: toMode(toolChoice) } }),
    generationConfig: {
      ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(stop === undefined ? {} : { stopSequences: stop }),
      ...(seed === undefined ? {} : { seed: Math.trunc(seed) }),
      ...(thinking === undefined ? {} : { thinkingConfig: toThinking(thinking, request.model) }),
    },
  };
}

// Models from the third generation on accept a level, earlier models a budget.
function toThinking(wish: ThinkingOptions, model: string): JsonObject {
  if (/gemini-(?:[3-9]|\d\d)/.test(model) && wish.budgetTokens === undefined)
    return { includeThoughts: true, thinkingLevel: wish.effort };
  return { includeThoughts: true, thinkingBudget: Math.floor(wish.budgetTokens ?? budgets[wish.effort]) };
}

function toMode(choice: ToolChoice): NonNullable<GoogleBody['toolConfig']>['functionCallingConfig'] {
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'none') return { mode: 'NONE' };
  return choice === 'required' ? { mode: 'ANY' } : { mode: 'ANY', allowedFunctionNames: [choice.name] };
}

/** Builds the turns of the body with two alternating roles; tool results name their tool. */
function toGoogleContents(messages: readonly Message[]): GoogleContent[] {
  const names = indexToolCallNames(messages);
  const out: GoogleContent[] = [];
  const add = (role: 'user' | 'model', parts: GooglePart[]) => {
    if (parts.length === 0) return;
    const last = out.at(-1);
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else out.push({ role, parts });
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const name = names.get(message.tool_call_id ?? '') ?? 'unknown';
      add('user', [{ functionResponse: { name, response: { output: toWireText(message) } } }]);
    } else if (message.role === 'assistant') add('model', message.content.flatMap(toReplyPart));
    else add('user', message.content.flatMap(toPart));
  }
  // The first turn must be a user turn, but a tree may begin with a reply.
  if (out[0]?.role === 'model')
    out.unshift({ role: 'user', parts: [{ text: '(The conversation begins with a reply.)' }] });
  return out;
}

function toPart(block: Block): GooglePart[] {
  if (isText(block)) return block.text === '' ? [] : [{ text: block.text }];
  if ((isImageBlock(block) || isFileBlock(block)) && block.source.type === 'base64')
    return [{ inlineData: { mimeType: block.mediaType ?? 'image/png', data: block.source.data } }];
  return [];
}

function toReplyPart(block: Block): GooglePart[] {
  // Only the signature of thoughts is sent back, never their text.
  if (isThinkingBlock(block))
    return block.signature === undefined ? [] : [{ text: '', thoughtSignature: block.signature }];
  if (!isToolCall(block)) return toPart(block);
  const { name, parameters: args, thoughtSignature } = block;
  return [{ functionCall: { name, args }, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }];
}
