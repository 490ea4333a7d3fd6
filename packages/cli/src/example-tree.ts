/** Creates an example tree in a store that was never used. */
import { type NodeId, type RunContext, run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';

const model = { type: 'example', provider: 'example', model_name: 'example' };

/** Creates the example if the store was never used; else returns null. */
export async function createExampleTree(store: Store, context: RunContext): Promise<TreeId | null> {
  for (const trashed of [false, true]) if ((await store.trees({ limit: 1, trashed })).items.length > 0) return null;
  const id = treeId(context.newId());
  await run(
    store,
    {
      type: 'create',
      treeId: id,
      attributes: {
        title: 'A sourdough starter (an example to explore)',
        systemPrompt: 'You are a patient baker. Be brief and exact.',
        tags: ['example'],
      },
    },
    context,
  );
  const say = async (parentId: NodeId | undefined, ...texts: readonly string[]): Promise<readonly NodeId[]> => {
    const messages = texts.map((text, at) => {
      const role = at % 2 === 0 ? ('user' as const) : ('assistant' as const);
      return { message: textMessage(role, text), ...(role === 'assistant' ? { meta: { source: model } } : {}) };
    });
    const { result } = await run(
      store,
      { type: 'append', treeId: id, messages, ...(parentId === undefined ? {} : { parentId }) },
      context,
    );
    return result.added;
  };
  const [question, answer, rye, ryeAnswer] = await say(
    undefined,
    'How do I start a sourdough starter?',
    'Mix **50 g whole-grain flour** and **50 g water** in a jar. Keep it at 24–26 °C. Every day, throw half away and feed the rest with the same amounts.\n\n| Day | What you see |\n|---|---|\n| 1–2 | bubbles, then nothing |\n| 3–4 | a sour smell |\n| 5–7 | doubles within six hours: ready |',
    'What if I use rye?',
    'Rye is the easy way: it ferments faster and forgives mistakes. Use 60 g water for 50 g rye, since it drinks more.',
  );
  if (question === undefined || answer === undefined || rye === undefined || ryeAnswer === undefined) return id;
  await run(
    store,
    {
      type: 'regenerate',
      treeId: id,
      nodeId: ryeAnswer,
      replies: [
        {
          message: textMessage(
            'assistant',
            'Rye works well. It smells stronger and does not stretch, so judge it by its bubbles, not by how it rises.',
          ),
          meta: { source: model },
        },
      ],
    },
    context,
  );
  const edited = await run(
    store,
    { type: 'edit', treeId: id, nodeId: rye, content: 'What if my kitchen is cold?' },
    context,
  );
  await say(
    edited.result.nodeId,
    'It is 18 °C in winter.',
    'Put the jar into the oven with only the light on, or on top of the fridge. At 18 °C everything takes twice as long: be patient before you throw it away.',
  );
  await run(store, { type: 'select', treeId: id, nodeId: ryeAnswer }, context);
  const tried = await say(
    ryeAnswer,
    'And how do I keep it when I am away?',
    'Feed it, let it stand for an hour, and put it into the fridge. It keeps for two weeks; feed it twice before you bake.',
  );
  await run(store, { type: 'bookmark', treeId: id, nodeId: answer, title: 'the basic recipe' }, context);
  const last = tried.at(-1);
  if (last !== undefined) await run(store, { type: 'select', treeId: id, nodeId: last }, context);
  return id;
}
