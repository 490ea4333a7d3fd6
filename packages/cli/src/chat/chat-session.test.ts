import { describe, expect, it } from 'vitest';
import { type CliEngine, openCliEngine } from '../cli-engine.ts';
import { defineSubcommand } from '../subcommands/contract.ts';
import { instantRepliesConfig, makeCliFixture } from '../testing/index.ts';
import { ChatSession } from './chat-session.ts';

/** Runs a function with an engine, as a subcommand does. */
async function withEngine(act: (cliEngine: CliEngine) => Promise<void>): Promise<void> {
  let failed: unknown = null;
  const member = defineSubcommand({
    name: 'talks',
    summary: 'talks',
    group: 'Chat',
    begins: true,
    examples: [],
    async run(_given, from) {
      await act(await openCliEngine(from)).catch((error) => {
        failed = error;
      });
      return null;
    },
  });
  const fixture = makeCliFixture({
    members: [member],
    config: instantRepliesConfig,
    env: { COPPICE_MODEL: 'offline/guide' },
  });
  try {
    expect(await fixture.run(['talks'])).toMatchObject({ code: 0, err: '' });
    if (failed !== null) throw failed;
  } finally {
    fixture.close();
  }
}

/** Returns an engine whose commands wait before they start, like commands that call a model. */
function waiting(cliEngine: CliEngine, until: (signal: AbortSignal | undefined) => Promise<void>): CliEngine {
  const commands: CliEngine['commands'] = {
    ...cliEngine.commands,
    async run(what, context) {
      await until(context.signal);
      return cliEngine.commands.run(what, context);
    },
  };
  return { ...cliEngine, commands };
}

const treesOf = async ({ store }: CliEngine) => (await store.trees({ limit: 10 })).items;

describe('a chat session', () => {
  it('[O76] does one thing at a time: a message sent during a command is added where the command ends', () =>
    withEngine(async (cliEngine) => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const chatSession = await ChatSession.open({ cliEngine: waiting(cliEngine, () => released) });
      const named = chatSession.command('/name Oaks');
      const said = chatSession.say('Hello');
      expect([chatSession.working, chatSession.busy]).toEqual([true, false]);
      release();
      await Promise.all([named, said]);
      expect(chatSession.working).toBe(false);
      expect(chatSession.state).toMatchObject({ title: 'Oaks', nodes: [{ text: 'Hello' }] });
      expect(await treesOf(cliEngine)).toHaveLength(1);
    }));

  it('[O198] reports pieces that arrive together once, and the end of a reply before the next state', () =>
    withEngine(async (cliEngine) => {
      const chatSession = await ChatSession.open({ cliEngine });
      const texts: string[] = [];
      chatSession.listen(() => {
        const { growing } = chatSession.state;
        if (growing !== null && growing.text !== '') texts.push(growing.text);
      });
      await chatSession.send('How do I connect a model?');
      const reply = chatSession.state.nodes.at(-1)?.text ?? '';
      expect(texts.at(-1)).toBe(reply);
      expect(new Set(texts).size).toBeLessThan(reply.split(/\s+/).length);
    }));

  it('[O76] shows waiting messages, and returns them if the user leaves first', () =>
    withEngine(async (cliEngine) => {
      const released: (() => void)[] = [];
      const held = () => new Promise<void>((resolve) => released.push(resolve));
      const chatSession = await ChatSession.open({ cliEngine: waiting(cliEngine, held) });
      await chatSession.say('Hello');
      const named = chatSession.command('/name Oaks');
      const [sent, compacted] = [chatSession.send('And elms?'), chatSession.command('/compact')];
      expect(chatSession.state.waiting).toEqual(['And elms?', '/compact']);
      expect(chatSession.end()).toEqual(['And elms?', '/compact']);
      for (const release of released) release();
      await named;
      expect(await sent).toBe(false);
      expect(await compacted).toBeNull();
      expect(await treesOf(cliEngine)).toMatchObject([{ activeNodeId: chatSession.here }]);
      expect(chatSession.state.nodes).toMatchObject([{ text: 'Hello' }]);
    }));

  it('[O76] shows a waiting message only until it is sent', () =>
    withEngine(async (cliEngine) => {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const chatSession = await ChatSession.open({ cliEngine: waiting(cliEngine, () => held) });
      const named = chatSession.command('/name Oaks');
      const sent = chatSession.send('And elms?');
      const seen: (readonly string[])[] = [chatSession.state.waiting];
      chatSession.listen(() => seen.push(chatSession.state.waiting));
      release();
      await named;
      expect(await sent).toBe(true);
      expect([seen[0], seen.at(-1)]).toEqual([['And elms?'], []]);
      expect(chatSession.state).toMatchObject({ title: 'Oaks', nodes: [{ text: 'And elms?' }, { role: 'assistant' }] });
    }));

  it('[O76] stops a command that calls a model like a reply', () =>
    withEngine(async (cliEngine) => {
      let begin: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const stopped = (signal: AbortSignal | undefined) =>
        new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          begin();
        });
      const chatSession = await ChatSession.open({ cliEngine: waiting(cliEngine, stopped) });
      await chatSession.say('Hello');
      const compacting = chatSession.command('/compact');
      await begun;
      expect(chatSession.stop()).toBe(true);
      expect(await compacting).toBeNull();
      expect(chatSession.state.notice).toMatchObject({ text: 'Stopped.', bad: true });
      expect(chatSession.stop()).toBe(false);
    }));

  it('[O76] is busy from the moment a message is sent, and makes one tree', () =>
    withEngine(async (cliEngine) => {
      const chatSession = await ChatSession.open({ cliEngine });
      const first = chatSession.send('Oaks');
      expect(chatSession.busy).toBe(true);
      const second = chatSession.send('Elms');
      expect(chatSession.state.waiting).toEqual(['Elms']);
      expect(await first).toBe(true);
      expect(await second).toBe(true);
      const nodes = [{ text: 'Oaks' }, { role: 'assistant' }, { text: 'Elms' }, { role: 'assistant' }];
      expect(chatSession.state).toMatchObject({ notice: null, waiting: [], nodes });
      expect(await treesOf(cliEngine)).toHaveLength(1);
    }));

  it('[O76] can cancel a waiting message, and the commands before and after it keep their order', () =>
    withEngine(async (cliEngine) => {
      const chatSession = await ChatSession.open({ cliEngine });
      const first = chatSession.send('Oaks');
      const [second, named] = [chatSession.send('Elms'), chatSession.command('/label here')];
      expect(chatSession.takeBack()).toEqual(['Elms']);
      expect(await second).toBe(false);
      expect(chatSession.state.waiting).toEqual(['/label here']);
      await Promise.all([first, named]);
      expect(chatSession.state).toMatchObject({ waiting: [], nodes: [{ text: 'Oaks' }, { role: 'assistant' }] });
      expect(chatSession.state.notice?.text).toContain('here');
    }));

  it('[O76] runs a command that does not change the branch while a reply is written', () =>
    withEngine(async (cliEngine) => {
      const chatSession = await ChatSession.open({ cliEngine });
      await chatSession.send('Oaks');
      const reply = chatSession.send('Elms');
      const named = await chatSession.command('/name Trees');
      expect(chatSession.busy).toBe(true);
      expect(named).not.toBeNull();
      await reply;
      expect(chatSession.state).toMatchObject({ title: 'Trees', nodes: { length: 4 } });
      await chatSession.again();
    }));

  it('[O76] runs such a command while another command runs, and before the messages that wait', () =>
    withEngine(async (cliEngine) => {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { commands } = cliEngine;
      const holding: CliEngine['commands'] = {
        ...commands,
        async run(line, context) {
          if (line === '/undo') await held;
          return commands.run(line, context);
        },
      };
      const chatSession = await ChatSession.open({ cliEngine: { ...cliEngine, commands: holding } });
      await chatSession.say('Oaks');
      const undone = chatSession.command('/undo');
      const sent = chatSession.send('Elms');
      expect((await chatSession.command('/tree'))?.text).toContain('Oaks');
      expect(chatSession.state.waiting).toEqual(['Elms']);
      release();
      await Promise.all([undone, sent]);
      expect(chatSession.state.nodes).toMatchObject([{ text: 'Elms' }, { role: 'assistant' }]);
    }));

  it('[O99] keeps a chosen model, even in a new chat, until another is set', () =>
    withEngine(async (cliEngine) => {
      const chatSession = await ChatSession.open({ cliEngine });
      await chatSession.send('Oaks');
      chatSession.use('offline/babble');
      await chatSession.command('/name Trees');
      expect(chatSession.state.model).toBe('offline/babble');
      await chatSession.openChat(null);
      expect(chatSession.state).toMatchObject({ model: 'offline/babble', title: null, nodes: [] });
      const [row] = await treesOf(cliEngine);
      await chatSession.openChat(row?.id ?? null);
      expect(chatSession.state).toMatchObject({ model: 'offline/guide', title: 'Trees', nodes: { length: 2 } });
      expect(chatSession.added).toEqual([]);
      chatSession.use('offline/babble');
      await chatSession.command('/model offline/guide');
      expect(chatSession.state.model).toBe('offline/guide');
    }));

  it('[O76] resolves numbers by the last list of the current tree', () =>
    withEngine(async (cliEngine) => {
      const chatSession = await ChatSession.open({ cliEngine });
      await chatSession.say('Oaks');
      await chatSession.command('/tree');
      await chatSession.command('/clone');
      await chatSession.command('/switch 1');
      expect(chatSession.state.notice?.text).toMatch(/^There is no message “1”.*or its bookmark/);
    }));
});
