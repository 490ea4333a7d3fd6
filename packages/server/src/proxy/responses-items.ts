/** Items of OpenAI's Responses wire as messages: one reply comes as several items and is one message here. */
import { type ItemMessage, messagesWithItems } from '@coppice/content/formats';
import type { Json } from '@coppice/core';
import { isWireObject, wireTextAt } from './exchange.ts';

/** The type of a block that stands for an item which the client names and does not send again. */
export const itemReference = 'item_reference';

/** The messages of a list of items, with the items that each was read from. */
export function messagesIn(items: readonly Json[]): ItemMessage[] {
  return messagesWithItems(items.map(picture));
}

/** A picture that a service drew as one that was said, so that it can be seen. */
function picture(item: Json): Json {
  const data = isWireObject(item) && item['type'] === 'image_generation_call' ? wireTextAt(item, 'result') : null;
  if (!isWireObject(item) || data === null) return item;
  const url = `data:image/${wireTextAt(item, 'output_format') ?? 'png'};base64,${data}`;
  return { id: item['id'] ?? null, role: 'assistant', content: [{ type: 'image_url', image_url: { url } }] };
}
