/** Parses the requests of `useChat`, and refuses all others with a message that describes the problem. */
import { isAppError, isUuid, type Json, type JsonObject, refuse } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { safeValidateUIMessages, type UIMessage } from 'ai';
import type { UiMessageJson } from './ui-nodes.ts';

/** The parsed body of a request for a reply. */
export interface ChatPost {
  readonly chatId: string;
  /** Empty for a request that names only the reply to generate again. */
  readonly messages: readonly UiMessageJson[];
  /** Whether `messages` is the whole branch; else it continues the active branch. */
  readonly whole: boolean;
  readonly trigger: 'submit-message' | 'regenerate-message';
  readonly messageId: string | undefined;
  /** The id that the page chose for the run. */
  readonly runId: string | undefined;
  /** The whole body, with the fields that the page added. */
  readonly body: JsonObject;
}

/**
 * Copies a stored message for the page, because the SDK changes its input. The message was validated when it was
 * posted.
 */
export function toUiMessage(message: UiMessageJson): UIMessage {
  return JSON.parse(JSON.stringify(message));
}

const longestId = 500;

/** Reads the body of a request as text; throws beyond `maxBytes`. */
async function readText(request: Request, maxBytes: number): Promise<string> {
  const reader = request.body?.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    bytes += next.value.byteLength;
    if (bytes > maxBytes) {
      await reader?.cancel();
      return refuse('command/invalid', `The request is larger than ${maxBytes} bytes.`, { maxBytes });
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

function parseBody(text: string): JsonObject {
  if (text === '')
    return refuse(
      'command/invalid',
      'The request has no body. A body parser such as express.json() must not run before.',
    );
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    return refuse('command/invalid', 'The request is not JSON.');
  }
  return isJsonObject(body) ? body : refuse('command/invalid', 'The request is not a JSON object.');
}

/** Validates the id of a chat, which may be any text. */
export function requireChatId(value: Json | undefined): string {
  if (typeof value === 'string' && value !== '' && value.length <= longestId) return value;
  return refuse('command/invalid', `The chat needs an id: a text of 1 to ${longestId} characters.`);
}

function requireMessage(value: Json | undefined, where: string): UiMessageJson {
  if (!isJsonObject(value)) return refuse('message/invalid', `${where} is not a message.`, { where });
  const { id, role, parts } = value;
  if (typeof id !== 'string' || id === '' || id.length > longestId)
    return refuse('message/invalid', `${where} needs an id of 1 to ${longestId} characters.`, { where });
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return refuse('message/invalid', `${where} has an unknown role.`, { where });
  if (!Array.isArray(parts) || !parts.every(isJsonObject))
    return refuse('message/invalid', `${where} has no list of parts.`, { where });
  return { ...value, id, role, parts };
}

/**
 * Validates messages by the AI SDK's own rules. Messages without parts are left out, because they contain nothing for a
 * model.
 */
export async function toModelInput(messages: readonly UiMessageJson[]): Promise<UIMessage[]> {
  const filled = messages.filter(({ parts }) => parts.length > 0);
  if (filled.length === 0) return [];
  const checked = await safeValidateUIMessages({ messages: filled });
  if (checked.success) return checked.data;
  return refuse('message/invalid', 'The messages are not messages of the AI SDK (UIMessage).', {
    cause: checked.error.message.slice(0, 500),
  });
}

/** Reads the body of a request as a JSON object. */
export async function readJsonBody(request: Request, maxBytes: number): Promise<JsonObject> {
  // This content type forces a CORS preflight request from pages of other sites.
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    return refuse('command/invalid', 'The request must have the content type application/json.');
  return parseBody(await readText(request, maxBytes).catch(refuseBroken));
}

/**
 * Refuses a request whose connection was lost while the page was sending, because this is not an error of the server.
 */
function refuseBroken(error: unknown): never {
  if (isAppError(error)) throw error;
  return refuse('command/invalid', 'The request was incomplete. Send it again.');
}

/** Parses the body of a POST request. Throws if a message or the trigger is invalid. */
export async function readChatPost(request: Request, maxBytes: number): Promise<ChatPost> {
  const body = await readJsonBody(request, maxBytes);
  const chatId = requireChatId(body.id);
  const whole = body.messages !== undefined;
  const { trigger = 'submit-message', messageId } = body;
  const isReference = !whole && body.message === undefined && trigger === 'regenerate-message';
  const list = whole ? body.messages : isReference ? [] : [body.message ?? null];
  if (!Array.isArray(list) || (list.length === 0 && !isReference))
    return refuse('message/invalid', 'There are no messages.');
  const messages = list.map((each: Json, at) => requireMessage(each, whole ? `messages[${at}]` : 'message'));
  if (new Set(messages.map(({ id }) => id)).size < messages.length)
    return refuse('message/invalid', 'Two messages have the same id.');
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message')
    return refuse('command/invalid', 'The trigger is neither submit-message nor regenerate-message.');
  const last = messages.at(-1);
  if (last?.role === 'system')
    return refuse('message/invalid', 'The last message must be of the user or the assistant.');
  if (last?.role === 'user' && last.parts.every(isBlankPart))
    return refuse('message/blank', 'The message is empty, so there is nothing to answer.');
  await toModelInput(messages);
  return {
    chatId,
    messages,
    whole,
    trigger,
    messageId: typeof messageId === 'string' ? messageId : undefined,
    runId: typeof body.run === 'string' && isUuid(body.run) ? body.run : undefined,
    body,
  };
}

function isBlankPart(part: JsonObject): boolean {
  return part.type === 'text' && (typeof part.text !== 'string' || part.text.trim() === '');
}
