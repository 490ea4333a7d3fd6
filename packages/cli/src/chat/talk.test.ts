import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EngineRoom, openEngineRoom } from '../engine-room.ts';
import { defineSubcommand } from '../subcommands/contract.ts';
import { makeBed } from '../testing/index.ts';
import { Talk } from './talk.ts';

/** Does something with a room, as a subcommand has it. */
async function inRoom(act: (room: EngineRoom) => Promise<void>): Promise<void> {
  let failed: unknown = null;
  const member = defineSubcommand({
    name: 'talks',
    summary: 'talks',
    group: 'Talk',
    begins: true,
    examples: [],
    async run(_given, from) {
      await act(await openEngineRoom(from)).catch((error) => {
        failed = error;
      });
      return null;
    },
  });
  const bed = makeBed({ members: [member], env: { COPPICE_MODEL: 'offline/guide' } });
  mkdirSync(join(bed.home, '.coppice'));
  writeFileSync(join(bed.home, '.coppice', 'config.toml'), '[offline]\ndelay_ms = 0\n[ollama]\ndetect = false\n');
  try {
    expect(await bed.run(['talks'])).toMatchObject({ code: 0, err: '' });
    if (failed !== null) throw failed;
  } finally {
    bed.close();
  }
}

/** A room whose commands wait for something before they begin, as those do that ask a model. */
function waiting(room: EngineRoom, until: (signal: AbortSignal | undefined) => Promise<void>): EngineRoom {
  const commands: EngineRoom['commands'] = {
    ...room.commands,
    async run(what, context) {
      await until(context.signal);
      return room.commands.run(what, context);
    },
  };
  return { ...room, commands };
}

const treesOf = async ({ store }: EngineRoom) => (await store.trees({ limit: 10 })).items;

describe('a talk', () => {
  it('[O76] does one thing at a time: what is said while a command is at work is said where that ends', () =>
    inRoom(async (room) => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const talk = await Talk.open({ room: waiting(room, () => released) });
      const named = talk.command('/name Oaks');
      const said = talk.say('Hello');
      expect([talk.working, talk.busy]).toEqual([true, false]);
      release();
      await Promise.all([named, said]);
      expect(talk.working).toBe(false);
      expect(talk.state).toMatchObject({ title: 'Oaks', nodes: [{ text: 'Hello' }] });
      expect(await treesOf(room)).toHaveLength(1);
    }));

  it('[O76] what waits is shown, and given back by whoever leaves before its turn comes', () =>
    inRoom(async (room) => {
      const released: (() => void)[] = [];
      const held = () => new Promise<void>((resolve) => released.push(resolve));
      const talk = await Talk.open({ room: waiting(room, held) });
      await talk.say('Hello');
      const named = talk.command('/name Oaks');
      const [sent, compacted] = [talk.send('And elms?'), talk.command('/compact')];
      expect(talk.state.waiting).toEqual(['And elms?', '/compact']);
      expect(talk.end()).toEqual(['And elms?', '/compact']);
      for (const release of released) release();
      await named;
      expect(await sent).toBe(false);
      expect(await compacted).toBeNull();
      expect(await treesOf(room)).toMatchObject([{ activeNodeId: talk.here }]);
      expect(talk.state.nodes).toMatchObject([{ text: 'Hello' }]);
    }));

  it('[O76] what waits is shown no longer when its turn has come', () =>
    inRoom(async (room) => {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const talk = await Talk.open({ room: waiting(room, () => held) });
      const named = talk.command('/name Oaks');
      const sent = talk.send('And elms?');
      const seen: (readonly string[])[] = [talk.state.waiting];
      talk.listen(() => seen.push(talk.state.waiting));
      release();
      await named;
      expect(await sent).toBe(true);
      expect([seen[0], seen.at(-1)]).toEqual([['And elms?'], []]);
      expect(talk.state).toMatchObject({ title: 'Oaks', nodes: [{ text: 'And elms?' }, { role: 'assistant' }] });
    }));

  it('[O76] a command that asks a model is stopped as a reply is', () =>
    inRoom(async (room) => {
      let begin: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const stopped = (signal: AbortSignal | undefined) =>
        new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          begin();
        });
      const talk = await Talk.open({ room: waiting(room, stopped) });
      await talk.say('Hello');
      const compacting = talk.command('/compact');
      await begun;
      expect(talk.stop()).toBe(true);
      expect(await compacting).toBeNull();
      expect(talk.state.notice).toMatchObject({ text: 'Stopped.', bad: true });
      expect(talk.stop()).toBe(false);
    }));

  it('[O76] is answering from the moment on that something is sent, and makes one tree of it', () =>
    inRoom(async (room) => {
      const talk = await Talk.open({ room });
      const first = talk.send('Oaks');
      expect(talk.busy).toBe(true);
      expect(await talk.send('Elms')).toBe(false);
      expect(await first).toBe(true);
      expect(talk.state).toMatchObject({ notice: null, nodes: [{ text: 'Oaks' }, { role: 'assistant' }] });
      expect(await treesOf(room)).toHaveLength(1);
    }));

  it('[O76] numbers are those of a list of the tree that one is in', () =>
    inRoom(async (room) => {
      const talk = await Talk.open({ room });
      await talk.say('Oaks');
      await talk.command('/tree');
      await talk.command('/clone');
      await talk.command('/switch 1');
      expect(talk.state.notice?.text).toMatch(/^There is no node “1”.*or its label;/);
    }));
});
