/** The route of a stock app with the AI SDK, to which a test applies the changes that the README describes. */
import { convertToModelMessages, streamText } from 'ai';
import { finishPart, scriptedModel, textParts } from '../stock-chat.ts';

const model = scriptedModel([...textParts('An hour.'), finishPart()]);
export const userOf = (request: Request) => request.headers.get('x-user');

export async function POST(request: Request) {
  const { messages } = await request.json();
  const result = streamText({ model, messages: await convertToModelMessages(messages) });
  return result.toUIMessageStreamResponse();
}
