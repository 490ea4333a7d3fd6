/** Sample trees for lists, each with a few branches, some with tags or pinned, and one in the trash. */
import type { TestServer } from '@coppice/server/testing';

interface SampleTree {
  readonly title: string;
  readonly tags: readonly string[];
  readonly pinned?: boolean;
  readonly branches: readonly (readonly string[])[];
}

const forest: readonly SampleTree[] = [
  {
    title: 'Disk alarm on the analytics box',
    tags: ['infra'],
    branches: [
      [
        'The disk of the analytics box is 94% full. Where do I look first?',
        'At the slots: an abandoned replication slot keeps WAL for ever. Yours has been waiting for a subscriber since 4 October.',
      ],
      ['Can I drop it while others read?', 'Yes. Nothing that is connected uses it.'],
    ],
  },
  {
    title: 'Interview plan, staff engineer',
    tags: ['hiring'],
    branches: [
      [
        'Plan two hours with a staff engineer.',
        'One exercise, read together, then an hour of questions about what they would not build.',
      ],
      ['Shorter: an hour.', 'Then the exercise goes home with them, and the hour is for reading it.'],
      ['And by phone?', 'Half an hour, without code.'],
    ],
  },
  {
    title: 'Essay: what logs are for',
    tags: ['writing'],
    branches: [
      ['A first sentence for an essay about logs.', 'Nobody reads a log until something has gone wrong.'],
      ['Less dark.', 'A log is a letter to somebody who is in a hurry.'],
      ['Once more.', 'Write the log for whoever is woken by it.'],
      ['As a question.', 'Who will read this at three in the morning?'],
    ],
  },
  {
    title: 'Retro notes, week 46',
    tags: ['writing'],
    branches: [['What slowed us down, in the order people said it?', 'Reviews, then the build, then the calendar.']],
  },
  {
    title: 'Naming the billing service',
    tags: ['writing'],
    pinned: true,
    branches: [
      ['Ten names for the billing service.', 'Tally, Ledger, Abacus, Quill, Docket, Tithe, Reckon, Scrip, Mint, Till.'],
      ['Which are taken?', '“Tally” is taken by two teams, “Mint” by a third.'],
    ],
  },
];

/** Creates the trees, the newest last, and one more in the trash. */
export async function createSampleChats(server: TestServer): Promise<void> {
  for (const { title, tags, pinned = false, branches } of forest) {
    const made = await server.ask('POST', '/api/trees', { body: { title, tags, pinned } });
    const at = `/api/trees/${made.body.treeId}`;
    for (const texts of branches) {
      const { body } = await server.ask('GET', at);
      const messages = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
      await server.ask('POST', `${at}/messages`, { version: body.version, body: { parentId: body.rootId, messages } });
    }
  }
  const { body: listed } = await server.ask('GET', '/api/trees?title=Interview');
  const at = `/api/trees/${listed.items[0].id}`;
  const { body: tree } = await server.ask('GET', at);
  await server.ask('DELETE', `${at}/nodes/${tree.activeNodeId}?mode=splice`, { version: tree.version });
  const old = await server.ask('POST', '/api/trees', {
    body: { title: 'Old onboarding plan', messages: [{ role: 'user', content: 'Plan the first week.' }] },
  });
  await server.ask('DELETE', `/api/trees/${old.body.treeId}`);
}
