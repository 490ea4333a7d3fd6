/** Items of OpenAI's Responses wire as messages: one reply comes as several items and is one message here. */
import { messagesOfItems } from '@coppice/content/formats';
import type { Json, JsonObject } from '@coppice/core';
import { isObject, textAt } from './exchange.ts';

/** The type of a block that stands for an item which the client names and does not send again. */
export const itemReference = 'item_reference';

/** The messages of a list of items. */
export function messagesIn(items: readonly Json[]): JsonObject[] {
  return messagesOfItems(items.map(picture));
}

/** A picture that a service drew as one that was said, so that it can be seen. */
function picture(item: Json): Json {
  const data = isObject(item) && item['type'] === 'image_generation_call' ? textAt(item, 'result') : null;
  if (!isObject(item) || data === null) return item;
  const url = `data:image/${textAt(item, 'output_format') ?? 'png'};base64,${data}`;
  return { role: 'assistant', content: [{ type: 'image_url', image_url: { url } }] };
}
