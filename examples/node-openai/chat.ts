import { parseConfig } from '@coppice/engine';
import { serve } from '@coppice/server';
import { openStore } from '@coppice/stores';
import { openTree } from '@coppice/stores/tree';
import OpenAI from 'openai';

// A service with OpenAI's API that needs no network. In your script, use `new OpenAI()` and one of its models.
const services = await openStore('memory:');
const token = crypto.randomUUID();
const server = await serve({ store: services, config: parseConfig(null, {}), auth: { mode: 'token', token } });
const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: token });
const model = 'offline/guide';

const store = await openStore(process.argv[2] ?? 'sqlite:chats.db');
const tree = openTree(store, undefined, { title: 'From a script' });

/** Sends the messages of the active branch to the model and returns its reply. */
async function ask(context = tree.context()): Promise<string> {
  const { messages } = await context;
  const plain = messages.map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : role === 'system' ? ('system' as const) : ('user' as const),
    content: content.map((block) => ('text' in block ? String(block.text) : '')).join(''),
  }));
  const { choices } = await openai.chat.completions.create({ model, messages: plain });
  return choices[0]?.message.content ?? '';
}

const question = await tree.append('How do I undo?');
const reply = await tree.append({ role: 'assistant', content: await ask() });

// Generates another reply to the same question, as a variant.
const prepared = await tree.regenerate(reply.id);
const again = await prepared.add({
  role: 'assistant',
  content: `Again: ${await ask(Promise.resolve(prepared.context))}`,
});
console.log(`${again.index + 1} of ${again.count} replies`);

// Adds another version of the question. The first version and its replies stay.
const edited = await tree.edit(question.id, 'What is a branch?');
await tree.append({ role: 'assistant', content: await ask() });
console.log((await tree.messages()).map(({ role }) => role).join(' '));

await tree.previous(edited.id);
console.log((await tree.messages()).map(({ text }) => text.split('\n')[0]?.slice(0, 40)).join(' | '));

await store.close();
await server.close();
await services.close();
