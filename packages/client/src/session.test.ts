import { type Message, type NodeId, nodeId, textMessage, treeId } from '@coppice/core';
import { createTools, defineTool } from '@coppice/engine';
import { makeTextEvents, makeToolEvents, type ScriptedReply } from '@coppice/engine/testing';
import { createTree, openTestServer, type TestServer } from '@coppice/server/testing';
import { afterEach, expect, test } from 'vitest';
import type { GenerationOptions } from './actions.ts';
import { loadedPath, variantPositionOf } from './loaded-branch.ts';
import { TreeSession } from './session.ts';
import { type GatedTestClient, openNodeClient } from './testing/node-client.ts';

// A short interval, because on an idle machine the expected events arrive within milliseconds.
const waitOptions = { interval: 5 };

const options: GenerationOptions = { models: ['scripted/one'], tools: ['look_up'] };
const plain: GenerationOptions = { models: ['scripted/one'] };

// Runs while a tool works; null if the tool answers at once.
let whileToolRuns: (() => Promise<void>) | null = null;

const tools = createTools({
  tools: [
    defineTool({
      name: 'look_up',
      description: 'Looks something up.',
      parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
      sideEffects: false,
      run: async () => {
        await whileToolRuns?.();
        return 'Found.';
      },
    }),
  ],
});

/** Returns a turn of several rounds without any delay: tool calls, then the answer. */
function rounds(count: number, answer: string): ScriptedReply[] {
  const calls = Array.from({ length: count }, (_, index) =>
    makeToolEvents({ id: `call-${answer}-${index}`, name: 'look_up', parameters: { word: `w${index}` } }),
  );
  return [...calls, makeTextEvents(answer)];
}

interface Opened {
  readonly server: TestServer;
  readonly client: GatedTestClient;
  readonly session: TreeSession;
}

const opened: Opened[] = [];
afterEach(async () => {
  whileToolRuns = null;
  for (const { session, server } of opened.splice(0)) {
    session.close();
    await server.close();
  }
});

async function open(replies: readonly ScriptedReply[], texts?: readonly string[], config?: string): Promise<Opened> {
  const server = await openTestServer({ tools, replies, ...(config === undefined ? {} : { config }) });
  const { id } = await createTree(server, texts);
  const client = openNodeClient(server);
  const session = new TreeSession(treeId(id), client);
  await session.open();
  const one = { server, client, session };
  opened.push(one);
  return one;
}

async function sendMessage(session: TreeSession, parentId: NodeId, message: Message, options: GenerationOptions) {
  return (await session.actions.send(message, { parentId, ...options })).sent;
}

function userMessage(text: string): Message {
  return textMessage('user', text);
}

/** Returns the texts of the shown branch. */
function shown(session: TreeSession): readonly string[] {
  const { part } = session.state;
  return part === null ? [] : loadedPath(part).map((node) => node.text);
}

function leafOf(session: TreeSession): NodeId {
  const leaf = session.state.part?.leaf ?? session.state.part?.tree.rootId;
  if (leaf === undefined) throw new Error('The tree is not open.');
  return leaf;
}

async function ends(session: TreeSession, text: string): Promise<void> {
  await expect.poll(() => shown(session).at(-1), waitOptions).toBe(text);
}

for (const order of ['as it comes', 'the answer last', 'the feed last'] as const)
  test(`[CL7] after tool calls the view ends at the newest reply of the turn, whichever arrives first: ${order}`, async () => {
    const { session, client } = await open([...rounds(4, 'It is so.'), ...rounds(2, 'And so.')]);
    if (order === 'the answer last') client.answers.hold();
    if (order === 'the feed last') client.events.hold();
    const sending = sendMessage(session, leafOf(session), userMessage('How is it?'), options);
    if (order === 'the answer last') await ends(session, 'It is so.');
    client.answers.open();
    if (order === 'the feed last')
      await expect.poll(() => client.requests.join(), waitOptions).toContain('/generations');
    client.events.open();
    expect(await sending).toBe(true);
    await ends(session, 'It is so.');
    // The next message continues from the answer, not from a tool result.
    const parent = leafOf(session);
    expect(await sendMessage(session, parent, userMessage('And then?'), options)).toBe(true);
    await ends(session, 'And so.');
    const { part } = session.state;
    const next = part === null ? undefined : loadedPath(part).find((node) => node.text === 'And then?');
    expect(next?.parentId).toBe(parent);
    expect(shown(session).filter((text) => text === 'It is so.')).toHaveLength(1);
  });

test('[CL34] a message may be a text, or have a text or blocks as its content', async () => {
  const { session } = await open([], ['Start']);
  await session.actions.append('Question');
  await session.actions.append({ role: 'assistant', content: 'Short.' });
  await session.actions.append({ role: 'assistant', content: [{ type: 'text', text: 'In blocks.' }] });
  expect(session.messages.slice(-3).map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: Question',
    'assistant: Short.',
    'assistant: In blocks.',
  ]);
});

test('[CL14] a state returns the same list of messages each time, and a message that is sent twice is shown once', async () => {
  const { client, session } = await open([]);
  const before = session.messages.length;
  const id = nodeId(client.newId());
  const parentId = session.state.part?.leaf ?? session.state.part?.tree.rootId ?? expect.fail();
  const twice = [session.actions.append('One', { id, parentId }), session.actions.append('One', { id, parentId })];
  expect(session.messages.slice(before).map(({ text }) => text)).toEqual(['One']);
  await Promise.all(twice);
  expect(session.messages.slice(before).map(({ text }) => text)).toEqual(['One']);
  expect(session.messages).toBe(session.messages);
});

test('[CL7] twenty turns with tools and without delay each end at their reply', async () => {
  const answers = Array.from({ length: 20 }, (_, index) => `Answer ${index}.`);
  const { session } = await open(answers.flatMap((answer, index) => rounds(index % 4, answer)));
  for (const [index, answer] of answers.entries()) {
    expect(await sendMessage(session, leafOf(session), userMessage(`Question ${index}`), options)).toBe(true);
    await ends(session, answer);
  }
  expect(shown(session).filter((text) => text.startsWith('Answer'))).toEqual(answers);
});

test('[CL7] a turn moves the view back from a message that another user added below its tool call', async () => {
  const { session, server } = await open(rounds(1, 'The end.'));
  const at = `/api/trees/${session.treeId}`;
  whileToolRuns = async () => {
    // The first reply of the turn is shown before the other user continues from it.
    await expect.poll(() => session.state.base?.nodes.get(leafOf(session))?.role, waitOptions).toBe('assistant');
    const { version } = (await server.ask('GET', at)).body;
    const messages = [{ role: 'user', content: 'Meanwhile' }];
    await server.ask('POST', `${at}/messages`, { version, body: { parentId: leafOf(session), messages } });
    await ends(session, 'Meanwhile');
  };
  expect(await sendMessage(session, leafOf(session), userMessage('Go'), options)).toBe(true);
  await ends(session, 'The end.');
  expect(shown(session)).not.toContain('Meanwhile');
});

test('[CL7] a turn that continues does not move the view of a user who has gone elsewhere', async () => {
  const { session, client } = await open(rounds(3, 'Far away.'), ['One', 'Two', 'Three', 'Four']);
  const first = loadedPath(session.state.part ?? expect.fail())[1]?.id ?? expect.fail();
  client.events.hold();
  const sending = sendMessage(session, leafOf(session), userMessage('Go'), options);
  await expect.poll(() => client.requests.join(), waitOptions).toContain('/generations');
  await session.go(first, { leaf: first, keep: false });
  client.events.open();
  await sending;
  await expect.poll(() => session.state.base?.nodes.size, waitOptions).toBeGreaterThan(8);
  expect(shown(session)).toEqual(['One', 'Two']);
});

test('[CL7] several replies at once end at the last one, and a regenerated reply at the new one', async () => {
  const { session } = await open(['A.', 'B.', 'C.', 'D.'].map((text) => makeTextEvents(text)));
  expect(await sendMessage(session, leafOf(session), userMessage('Three'), { ...plain, n: 3 })).toBe(true);
  await expect.poll(() => session.state.live.size, waitOptions).toBe(0);
  const leaf = leafOf(session);
  const kids = session.state.part?.childrenByParent.get(session.state.part.nodes.get(leaf)?.parentId ?? leaf);
  expect(kids).toHaveLength(3);
  expect(kids?.at(-1)).toBe(leaf);
  expect(await session.actions.regenerate(leaf, plain)).toEqual({ sent: true, problem: null });
  await ends(session, 'D.');
});

/** Expects a text at the end of the view, and the server's active node there. */
async function expectActiveEnd({ server, session }: Opened, text: string): Promise<void> {
  await expect.poll(() => session.state.live.size, waitOptions).toBe(0);
  // Every write that waits in the queue is sent before this one.
  await session.actions.setBookmark(leafOf(session), 'End');
  expect(shown(session).at(-1)).toBe(text);
  expect((await server.ask('GET', `/api/trees/${session.treeId}`)).body.activeNodeId).toBe(leafOf(session));
}

/** Returns the texts of the loaded messages with a status. */
function texts(session: TreeSession, status: string): readonly string[] {
  return [...(session.state.base?.nodes.values() ?? [])].flatMap((node) => (node.status === status ? [node.text] : []));
}

for (const order of [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
])
  test(`[CL7] several replies that end in the order ${order.join()} leave the view at the last one`, async () => {
    const finish: (() => void)[] = [];
    const replies = ['A.', 'B.', 'C.'].map(
      (text, index): ScriptedReply =>
        async function* () {
          await new Promise<void>((resolve) => {
            finish[index] = resolve;
          });
          yield* makeTextEvents(text);
        },
    );
    const { session, client, ...rest } = await open([makeTextEvents('Old.'), ...replies]);
    await sendMessage(session, leafOf(session), userMessage('Go'), plain);
    await ends(session, 'Old.');
    const again = session.actions.regenerate(leafOf(session), { ...plain, n: 3 });
    const ended = () => ['A.', 'B.', 'C.'].filter((text) => texts(session, 'success').includes(text)).length;
    for (const [count, index] of order.entries()) {
      await expect.poll(() => finish[index], waitOptions).toBeDefined();
      finish[index]?.();
      await expect.poll(() => ended(), waitOptions).toBe(count + 1);
    }
    await again;
    await ends(session, 'C.');
    await expectActiveEnd({ session, client, ...rest }, 'C.');
  });

test('[CL5] a user who sends again before the first reply arrives is not moved back to it', async () => {
  const { session, client } = await open([makeTextEvents('Here I am.')]);
  client.answers.hold();
  client.events.hold();
  const one = sendMessage(session, leafOf(session), userMessage('One'), plain);
  const two = sendMessage(session, leafOf(session), userMessage('Two'), plain);
  expect(shown(session).slice(-2)).toEqual(['One', 'Two']);
  client.answers.open();
  await one;
  expect(shown(session).slice(-2)).toEqual(['One', 'Two']);
  client.events.open();
  await two;
  await ends(session, 'Here I am.');
  expect(shown(session).slice(-3)).toEqual(['One', 'Two', 'Here I am.']);
});

/** Opens a tree whose last prompt has two replies. Returns the first one; the second one is shown. */
async function openTwoReplies(next: string): Promise<Opened & { readonly first: NodeId }> {
  const one = await open(['A.', 'B.', next].map((text) => makeTextEvents(text)));
  const { session } = one;
  await sendMessage(session, leafOf(session), userMessage('Go'), plain);
  await ends(session, 'A.');
  const first = leafOf(session);
  await session.actions.regenerate(first, plain);
  await ends(session, 'B.');
  await expect.poll(() => session.state.live.size, waitOptions).toBe(0);
  return { ...one, first };
}

test('[CL35] a branch that arrives after a newer reply is shown does not move the view back', async () => {
  const { session, client, first, ...rest } = await openTwoReplies('C.');
  client.reads.hold();
  const going = session.go(first);
  await session.actions.regenerate(first, plain);
  await ends(session, 'C.');
  client.reads.open();
  await going;
  await expectActiveEnd({ session, client, ...rest }, 'C.');
});

test('[CL35] a branch that arrives while a newer reply is being requested does not become the active one', async () => {
  const { session, client, first, ...rest } = await openTwoReplies('C.');
  client.reads.hold();
  client.answers.hold();
  const going = session.go(first);
  const again = session.actions.regenerate(first, plain);
  client.reads.open();
  await going;
  client.answers.open();
  await again;
  await ends(session, 'C.');
  await expectActiveEnd({ session, client, ...rest }, 'C.');
});

test('[CL35] a message that is sent while its branch is still being read stays shown and active', async () => {
  const { session, client, first, ...rest } = await openTwoReplies('Reply.');
  client.reads.hold();
  client.answers.hold();
  client.events.hold();
  const going = session.go(first);
  const sending = sendMessage(session, leafOf(session), userMessage('Next'), plain);
  client.reads.open();
  await going;
  expect(shown(session).slice(-2)).toEqual(['A.', 'Next']);
  client.answers.open();
  client.events.open();
  expect(await sending).toBe(true);
  await ends(session, 'Reply.');
  await expectActiveEnd({ session, client, ...rest }, 'Reply.');
});

test('[CL35] a branch that the user opens while a reply is being requested becomes the active one', async () => {
  const { session, client, first, ...rest } = await openTwoReplies('C.');
  client.answers.hold();
  const again = session.actions.regenerate(leafOf(session), plain);
  const going = session.go(first);
  client.answers.open();
  await going;
  await again;
  await expectActiveEnd({ session, client, ...rest }, 'A.');
});

test('[CL36] pages that were read before a commit and arrive after it do not bring the older state back', async () => {
  const { session, client, server, first } = await openTwoReplies('C.');
  const at = `/api/trees/${session.treeId}`;
  for (const read of [() => session.refresh(), () => session.go(first, { leaf: first })]) {
    client.reads.hold();
    const reading = read();
    await expect.poll(() => client.reads.waiting, waitOptions).toBe(1);
    const { version } = (await server.ask('GET', at)).body;
    const word = `Noted at ${version}`;
    await server.ask('PATCH', `${at}/nodes/${leafOf(session)}/meta`, { body: { set: { word } } });
    await expect.poll(() => session.version, waitOptions).toBeGreaterThan(version);
    client.reads.open();
    await reading;
    expect(session.state.base?.nodes.get(leafOf(session))?.meta).toMatchObject({ word });
  }
});

test('[CL8] a send costs one request; the feed brings the rest', async () => {
  const { session, client } = await open([...rounds(2, 'Brought.'), makeTextEvents('Again.')]);
  client.requests.length = 0;
  await sendMessage(session, leafOf(session), userMessage('Bring it'), options);
  await ends(session, 'Brought.');
  await expect.poll(() => session.state.live.size, waitOptions).toBe(0);
  expect(client.requests).toEqual([`POST /api/trees/${session.treeId}/generations`]);
});

test('[CL10] a bookmark stays when the server has responded and the feed has not reported it yet', async () => {
  const { session, client } = await open([], ['One']);
  const leaf = leafOf(session);
  client.events.hold();
  await session.actions.setBookmark(leaf, 'Here');
  expect(session.state.part?.bookmarks.get(leaf)?.title).toBe('Here');
  await session.actions.setBookmark(leaf, null);
  expect(session.state.part?.bookmarks.has(leaf)).toBe(false);
  client.events.open();
  await expect.poll(() => session.state.base?.tree.version, waitOptions).toBe(4);
  expect(session.state.part?.bookmarks.has(leaf)).toBe(false);
});

test('[CL8] a bookmark, a note and their undo cost one request each', async () => {
  const { session, client } = await open([makeTextEvents('Hi.')]);
  const leaf = leafOf(session);
  client.requests.length = 0;
  await session.actions.setBookmark(leaf, 'Here');
  expect(session.state.part?.bookmarks.get(leaf)?.title).toBe('Here');
  await session.actions.undo();
  expect(session.state.part?.bookmarks.has(leaf)).toBe(false);
  await session.actions.append('A note', { parentId: leaf });
  await ends(session, 'A note');
  await session.actions.undo();
  expect(leafOf(session)).toBe(leaf);
  const at = `/api/trees/${session.treeId}`;
  expect(client.requests).toEqual([
    `PUT ${at}/nodes/${leaf}/bookmark`,
    `POST ${at}/undo`,
    `POST ${at}/messages`,
    `POST ${at}/undo`,
  ]);
});

test('[CL8] undoing a delete shows the messages again without reading them', async () => {
  const { session, client } = await open([makeTextEvents('Hi.')], ['One', 'Two', 'Three', 'Four']);
  const path = loadedPath(session.state.part ?? expect.fail());
  const second = path[1] ?? expect.fail();
  const { actId } = await session.write([], (version) =>
    session.api.remove(session.treeId, second.id, 'cascade', version),
  );
  await expect.poll(() => shown(session), waitOptions).toEqual(['One']);
  client.requests.length = 0;
  await session.actions.undo(actId);
  await ends(session, 'Four');
  expect(shown(session)).toEqual(['One', 'Two', 'Three', 'Four']);
  expect(client.requests).toEqual([`POST /api/trees/${session.treeId}/undo`]);
});

test('[CL17] a message that arrives while the topology is being read is in it', async () => {
  const { session, client } = await open([makeTextEvents('Hi.')], ['One', 'Two']);
  client.reads.hold();
  const loading = session.loadTopology();
  // The server has read the tree; its response is on the way.
  await expect.poll(() => client.reads.waiting, waitOptions).toBe(1);
  await session.actions.append('Three');
  await ends(session, 'Three');
  client.reads.open();
  const previews = [...((await loading)?.nodes.values() ?? [])].map(({ preview }) => preview);
  expect(previews).toEqual(['One', 'Two', 'Three']);
});

test('[B107] a message that does not fit is either stored or given back, never both, and no compaction is left', async () => {
  const small = '[models."scripted/one"]\nwindow = 300\nmax_output = 300\n';
  const { session, server } = await open([makeTextEvents('Yes.')], ['Hi'], small);
  const kinds = async () => {
    const { body } = await server.ask('GET', `/api/trees/${session.treeId}/topology`);
    return body.nodes.map((node: { kind: string }) => node.kind);
  };
  // The message is larger than the whole context window. It is not stored, so its text returns to the composer.
  expect(await sendMessage(session, leafOf(session), userMessage('word '.repeat(2_000)), plain)).toBe(false);
  expect(await kinds()).toEqual(['message']);
  expect(shown(session)).toEqual(['Hi']);
  // The message fits, but leaves no space for a reply. It is stored and shown, so its text does not return.
  const long = 'word '.repeat(200).trim();
  expect(await sendMessage(session, leafOf(session), userMessage(long), plain)).toBe(true);
  expect(await kinds()).toEqual(['message', 'message']);
  await ends(session, long);
});

test('[CL1] an edit of the first message of a new tree shows two variants at once', async () => {
  const { session } = await open([makeTextEvents('Hi.')], []);
  await session.actions.append('Hello');
  const [first] = session.messages;
  await session.actions.edit(first?.id ?? expect.fail(), 'Hello there');
  const [shownFirst] = session.messages;
  const { part } = session.state;
  if (part === null || shownFirst === undefined) throw new Error('Nothing is shown.');
  expect(variantPositionOf(part, shownFirst)).toMatchObject({ at: 2, ids: [first?.id, shownFirst.id] });
});
