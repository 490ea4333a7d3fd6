/**
 * A demo tree: a question with three replies, side branches, a tool call, a merged summary, a reply that was cut off.
 */
import { messageKit, parseMessage } from '@coppice/content';
import { type Message, type NodeStatus, nodeId, run, textMessage, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import type { TestServer } from '@coppice/server/testing';

interface Said {
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly content: string | readonly unknown[];
  readonly tool_call_id?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

function messageOf(content: Said['content']): Message {
  if (typeof content === 'string') return textMessage('assistant', content);
  const parsed = parseMessage({ role: 'assistant', content });
  if (!parsed.ok) throw new Error(parsed.refusal.message);
  return parsed.value;
}

function you(content: string): Said {
  return { role: 'user', content };
}

function model(name: string, content: string | readonly unknown[], more: Readonly<Record<string, unknown>> = {}): Said {
  const source = {
    type: 'model',
    provider: 'anthropic',
    model_name: name,
    usage: { inputTokens: 1200, outputTokens: 480, totalTokens: 1680 },
    cost: { input: 0.004, output: 0.007, cacheRead: 0, cacheWrite: 0, total: 0.011 },
    timing: { startedAt: 0, firstMs: 600, totalMs: 14_000 },
  };
  return { role: 'assistant', content, meta: { source, ...more } };
}

/** The ids of the demo tree and of those of its messages that tests refer to. */
export interface DemoTree {
  readonly id: string;
  readonly asked: string;
  readonly answers: readonly string[];
  readonly freeze: string;
  readonly pause: string;
  readonly leaf: string;
}

/** Creates the tree and leaves its user on the branch about the freeze. */
export async function createDemoTree(server: TestServer): Promise<DemoTree> {
  const { store } = server;
  const made = await server.ask('POST', '/api/trees', {
    body: {
      title: 'Postgres 12 → 16 without downtime',
      systemPrompt: 'You are a careful staff engineer. Ask before you assume.',
      tags: ['infra'],
    },
  });
  const id: string = made.body.treeId;
  const at = `/api/trees/${id}`;
  const say = async (parentId: string | null, ...messages: readonly Said[]): Promise<string> => {
    const { body } = await server.ask('GET', at);
    const answer = await server.ask('POST', `${at}/messages`, {
      version: body.version,
      body: { messages, merge: false, ...(parentId === null ? {} : { parentId }) },
    });
    if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
    return answer.body.nodes.at(-1).id;
  };
  /** Creates replies in one act, as variants in one group. */
  const reply = async (
    parentId: string,
    replies: readonly Said[],
    status: NodeStatus = 'success',
  ): Promise<readonly string[]> => {
    const command = {
      type: 'reply',
      treeId: treeId(id),
      parentId: nodeId(parentId),
      replies: replies.map(({ content, meta = {} }) => ({ message: messageOf(content), meta, status })),
    } as const;
    const done = await run(store, command, { kit: messageKit, now: Date.now, newId, actor: 'local' });
    return done.commit?.steps.flatMap((step) => (step.type === 'insert' ? [step.node.id] : [])) ?? [];
  };
  const { rootId }: { rootId: string } = (await server.ask('GET', at)).body;
  await say(
    rootId,
    you('On 16 by March, a weekend off is fine. What would you do?'),
    model('gpt-5', 'Dump and restore over the weekend; rehearse it once.'),
  );
  const asked = await say(
    rootId,
    you(
      'We run Postgres 12.9 on two EC2 machines: 1.8 TB, about 2,400 writes a second at peak. I need to be on 16 by March, with no window longer than a minute. What would you do, and what would make you change your mind?',
    ),
  );
  await say(rootId, you('Should we go to 16 at all?'), model('qwen3-32b', 'Not before the extensions follow.'));
  const query = {
    type: 'tool-use',
    id: 'call-1',
    name: 'postgres__query',
    parameters: { sql: 'select relname, pg_total_relation_size(oid) from pg_class order by 2 desc limit 4' },
  };
  const [opening = '', second = '', third = ''] = await reply(asked, [
    model('claude-sonnet', [
      {
        type: 'thinking',
        thinking:
          'The minute rules out dump and restore. What decides the order is whatever does not replicate, so look at the relations first.',
      },
      query,
    ]),
    model(
      'gpt-5',
      '`pg_upgrade --link` on the standby, after you promote it. The files are linked in place, so 1.8 TB takes about 40 seconds; the rest of the minute goes to `analyze`.\n\n- Large objects come along, nothing to copy.\n- There is **no way back** once 16 has started: keep the old primary untouched for a day.',
    ),
    model(
      'qwen3-32b',
      'Move to a managed blue/green deployment first, while still on 12, and let the platform do the upgrade. The switch is usually under a minute, and it is the provider who has rehearsed it.',
    ),
  ]);
  const first = await say(
    opening,
    {
      role: 'tool',
      tool_call_id: 'call-1',
      content:
        'public.events        1.31 TB\npg_largeobject         41 GB\npublic.invoice_line    38 GB\npublic.account        2.2 GB',
    },
    model(
      'claude-sonnet',
      'Logical replication into a fresh 16 cluster, then a planned switch. Two things in your schema decide the order, and neither is the big table:\n\n1. **Large objects do not replicate.** 41 GB of scanned contracts must be copied by hand. Move them 48 hours ahead and send new ones to object storage.\n2. **`public.account` has no primary key.** Give it one this week, or every update on it will fail on the subscriber.\n\nI would change my mind if the initial copy of `events` takes more than three days: the slot would then hold too much WAL.',
    ),
  );
  await say(
    second,
    you('Which extensions are not in 16 yet?'),
    model('gpt-5', 'Of the nine you load, only pg_repack lags behind.'),
    you('Can we do without it?'),
    model('gpt-5', 'Until May, yes.'),
  );
  await say(third, you('What does it cost?'), model('qwen3-32b', 'Both machines for nine days come to $1,140.'));
  const copied = await say(
    first,
    you('How long will the first copy of events take?'),
    model(
      'claude-sonnet',
      'About 31 hours at 12 MB/s, if the slot may hold 190 GB of WAL meanwhile. Check the disk first.',
    ),
  );
  await say(
    copied,
    you('What do we lose if we roll back after an hour?'),
    model(
      'claude-sonnet',
      'Replicate backwards from 16 to 12 from the first second. Rolling back is then another planned switch, not a restore.',
    ),
    you('Write that down as a plan.'),
    model('claude-sonnet', 'Rollback plan: keep 12 subscribed, freeze, switch, compare counts.'),
  );
  const freeze = await say(copied, you('Assume the freeze can’t be longer than 20 seconds. What changes?'));
  const [, pause = '', , bouncer = ''] = await reply(freeze, [
    model('claude-sonnet', 'Write to both clusters from the application for a week, and compare counts every night.'),
    model(
      'claude-sonnet',
      "Pause the pool instead of stopping the application. Clients wait in `pgbouncer` and never see an error; you get the time between `PAUSE` and `RESUME`, about 8 seconds here.\n\n```sql\nselect slot_name, lag_bytes(confirmed_flush_lsn)\nfrom pg_replication_slots where slot_name = 'to_pg16';\n```",
      { title: '20-second freeze' },
    ),
    model(
      'claude-sonnet',
      'Drain connections at HAProxy and let the old ones finish. About 45 seconds, so not for you.',
    ),
    model('gpt-5', 'PAUSE lets running transactions end and holds the rest. Nobody sees an error.'),
  ]);
  const bounced = await say(
    bouncer,
    you('Does transaction pooling break anything?'),
    model('gpt-5', 'It breaks the two services that use prepared statements; both can set prepareThreshold=0.'),
  );
  await server.ask('PUT', `${at}/nodes/${bounced}/bookmark`, { body: { title: 'pgbouncer pause' } });
  await server.ask('PUT', `${at}/active`, { body: { nodeId: pause } });
  const merged = await server.ask('POST', `${at}/merge`, {
    version: (await server.ask('GET', at)).body.version,
    body: {
      nodeId: bounced,
      mode: 'summary',
      summary: 'Two services must set `prepareThreshold=0`. On staging, 6.4 s from pause to resume.',
    },
  });
  if (merged.status >= 400) throw new Error(JSON.stringify(merged.body));
  const back: string = merged.body.nodes.at(-1).id;
  const script = await say(back, you('Good. Write `cutover.sh`, and refuse to go on if lag is above 4 kB.'));
  const [leaf = ''] = await reply(
    script,
    [
      model(
        'claude-sonnet',
        'The script stops at the first doubt and leaves 12 in charge. **Check** compares lag, row counts and the `account` key; **pause** holds the pool, waits for the slot to drain, copies the sequ',
        { title: 'cutover.sh, first half' },
      ),
    ],
    'interrupted',
  );
  await server.ask('PUT', `${at}/active`, { body: { nodeId: leaf } });
  return { id, asked, answers: [opening, second, third], freeze, pause, leaf };
}
