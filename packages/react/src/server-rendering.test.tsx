import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, Topology } from '@coppice/client';
import { openNodeClient } from '@coppice/client/testing';
import { nodeId, type TopologyNode, textMessage, treeId } from '@coppice/core';
import type { ScriptedReply } from '@coppice/engine/testing';
import { createTree, openTestServer } from '@coppice/server/testing';
import { createElement, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import {
  Composer,
  CoppiceProvider,
  MessageContent,
  Outline,
  type OutlineItem,
  type OutlineOptions,
  Thread,
  TreeMap,
  TreeProvider,
  useComposer,
  useContextUsage,
  useSearch,
  useToolApprovals,
  useTreeList,
  useUndo,
  VariantSwitcher,
} from './index.ts';
import { layOutMap } from './map-layout.ts';

const id = treeId('00000000-0000-4000-8000-000000000001');

function EveryHook() {
  const list = useTreeList();
  const composer = useComposer();
  const usage = useContextUsage();
  const { hits } = useSearch('word');
  const { pending } = useToolApprovals();
  useUndo();
  return <p>{JSON.stringify([list.isReady, composer.canSend, usage.share, hits, pending])}</p>;
}

test('[HK10] a provider without a client or a tree is refused with what to pass', () => {
  const client = createClient({ fetch: async () => Response.error() });
  const shown = (provider: object, tree: object) => () =>
    renderToString(
      Reflect.apply(createElement, undefined, [
        CoppiceProvider,
        provider,
        Reflect.apply(createElement, undefined, [TreeProvider, tree, <Thread key="thread" />]),
      ]),
    );
  expect(shown({}, { treeId: id })).toThrow('CoppiceProvider needs a `client`');
  expect(shown({ client }, {})).toThrow('pass the id of a tree as `treeId`');
  expect(shown({ client }, { treeId: '' })).toThrow('pass the id of a tree as `treeId`');
  expect(shown({ client }, { treeId: id })()).toContain('Loading…');
});

test('[HK1] hooks and components render on a server without a request', () => {
  const client = createClient({
    fetch: () => {
      throw new Error('A server asks for nothing.');
    },
  });
  const html = renderToString(
    <CoppiceProvider client={client}>
      <TreeProvider treeId={id}>
        <Thread />
        <Composer />
        <Outline />
        <TreeMap />
        <EveryHook />
      </TreeProvider>
    </CoppiceProvider>,
  );
  expect(html).toContain('Loading…');
  expect(html).toContain('[false,false,0,[],[]]');
  expect(() => renderToString(createElement(Composer))).toThrow('TreeProvider');
});

test('[HK1, HK3, HK6] a session that is already open renders its branch, its versions and its waiting tool calls', async () => {
  const server = await openTestServer();
  const { id: made } = await createTree(server, ['One', 'Two']);
  const client = openNodeClient(server);
  const session = client.openTree(treeId(made));
  await session.open();
  const [one] = session.messages;
  await session.actions.edit(one?.id ?? expect.fail(), 'Other');
  const call = { type: 'tool-use', id: 'c1', name: 'look_up', parameters: { a: 1 } };
  await session.actions.append({ role: 'assistant', content: [call] });
  const render = () =>
    renderToString(
      <TreeProvider session={session}>
        <Thread />
      </TreeProvider>,
    );
  expect(render()).not.toContain('Allow');
  session.replies.setCall('c1', { name: 'look_up', parameters: { a: 1 }, state: 'waiting', actId: made });
  const html = render();
  for (const text of ['Other', '2/2', 'Tool call: look_up', 'Allow', 'Refuse']) expect(html).toContain(text);
  expect(html).not.toContain('One');
  client.requests.length = 0;
  await session.actions.approve('c1', true).catch(() => undefined);
  expect(client.requests).toEqual([`POST /api/generations/${made}/approvals/c1`]);
  session.close();
  await server.close();
});

function StreamingCount() {
  return <output>{useComposer().streaming.length}</output>;
}

test('[HK3] a composer stops only replies on the shown branch; a failed reply says why', async () => {
  const failing: ScriptedReply = [
    { type: 'error', code: 'provider/overloaded', kind: 'unavailable', message: 'Too busy.', retryable: false },
  ];
  const server = await openTestServer({ replies: [failing] });
  const { id: made } = await createTree(server, ['One', 'Two']);
  const session = openNodeClient(server).openTree(treeId(made));
  await session.open();
  const [one, two] = session.messages;
  const count = () =>
    renderToString(
      <TreeProvider session={session}>
        <StreamingCount />
      </TreeProvider>,
    );
  session.replies.startReply(two?.id ?? expect.fail(), null);
  expect(count()).toContain('1');
  await session.actions.edit(one?.id ?? expect.fail(), 'Other');
  expect(count()).toContain('0');
  await session.actions.send('Three', { models: ['scripted/one'] });
  const isFailed = () => session.messages.at(-1)?.status === 'error';
  await expect.poll(() => isFailed()).toBe(true);
  const thread = renderToString(
    <TreeProvider session={session}>
      <Thread />
    </TreeProvider>,
  );
  expect(thread).toContain('<p class="coppice-error">Too busy.</p>');
  session.close();
  await server.close();
});

test('[HK9] switcher, content and outline render the parts of an app', async () => {
  const server = await openTestServer();
  const texts = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
  const { id: made } = await createTree(server, texts);
  const session = openNodeClient(server).openTree(treeId(made));
  await session.open();
  const [one, two] = session.messages;
  await session.actions.edit(one?.id ?? expect.fail(), 'Other');
  await session.go(one?.id ?? expect.fail());
  await session.loadTopology();
  const render = (part: ReactElement) => renderToString(<TreeProvider session={session}>{part}</TreeProvider>);

  const switcher = render(
    <VariantSwitcher
      className="mine"
      nodeId={one?.id ?? expect.fail()}
      previous={{ icon: <b>back</b>, title: 'Back (←)' }}
      next={{ icon: <b>on</b> }}
      renderCount={(at, count) => `${at} von ${count}`}
    />,
  );
  for (const text of ['coppice-variants mine', '<b>back</b>', 'title="Back (←)"', '<b>on</b>', '1 von 2'])
    expect(switcher).toContain(text);

  const node = two ?? expect.fail();
  const content = render(<MessageContent className="mine" node={node} renderBlock={() => <hr />} />);
  expect(content).toBe('<div class="coppice-content mine" aria-busy="false"><hr/></div>');
  // Null is rendered as nothing, undefined by the component itself.
  expect(render(<MessageContent node={node} renderBlock={() => null} />)).not.toContain('Two');
  expect(render(<MessageContent node={node} renderBlock={() => undefined} />)).toContain('Two');
  const pending = { ...node, status: 'pending' as const };
  const reply = render(<MessageContent node={pending} renderReply={(live) => (live === null ? 'Soon' : live.text)} />);
  expect(reply).toBe('<div class="coppice-content" aria-busy="true">Soon</div>');

  const lists: OutlineItem[][] = [];
  const outline = (options: OutlineOptions) => {
    render(<Outline {...options} renderList={({ items }) => <>{lists.push([...items])}</>} />);
    return (lists.at(-1) ?? []).map((item) => (item.kind === 'fold' ? item.count : item.node.preview));
  };
  expect(outline({})).toEqual([...texts, 'Other']);
  expect(outline({ branches: 'path', foldFrom: 5 })).toEqual(['One', 'Other', 6, 'Eight']);
  expect(outline({ branches: 'path' })).toEqual(['One', 'Other', ...texts.slice(1)]);
  expect(lists.at(-1)?.[0]).toMatchObject({ kind: 'message', variants: 2, at: 1 });
  expect(outline({ shows: (each) => each.preview.startsWith('T'), limit: 1 })).toEqual(['Two']);
  expect(render(<Outline branches="path" foldFrom={5} />)).toContain('6 more messages');
  session.close();
  await server.close();
});

test('[HK5] a chain of 100,000 messages is laid out without recursion, and each fork gets its own column', () => {
  const root = nodeId('root');
  const make = (at: number, parent: string): TopologyNode => ({
    id: nodeId(`n${at}`),
    parentId: nodeId(parent),
    role: 'user',
    kind: 'message',
    groupId: 0,
    seq: at,
    position: `a${at}`,
    status: 'success',
    childCount: 0,
    hasChildren: false,
    preview: textMessage('user', 'x').role,
    tokens: 1,
    createdAt: 0,
  });
  const chain = Array.from({ length: 100_000 }, (_, at) => make(at, at === 0 ? 'root' : `n${at - 1}`));
  const long = layOutMap(new Topology(root, chain), nodeId('n99999'), 200_000);
  expect(long).toHaveLength(100_000);
  expect(long.at(-1)).toMatchObject({ column: 0, row: 99_999, isShown: true });
  const forked = layOutMap(
    new Topology(root, [make(0, 'root'), make(1, 'n0'), make(2, 'n0'), make(3, 'n1')]),
    nodeId('n2'),
    10,
  );
  expect(forked.map(({ node, column, row, isShown }) => [node.id, column, row, isShown])).toEqual([
    ['n0', 0, 0, true],
    ['n1', 0, 1, false],
    ['n3', 0, 2, false],
    ['n2', 1, 1, true],
  ]);
});

/** The exports of React 18 that hooks and components use. */
const react18 = new Set([
  ...['createContext', 'createElement', 'Fragment', 'memo', 'forwardRef', 'StrictMode', 'startTransition'],
  ...[
    'useCallback',
    'useContext',
    'useDeferredValue',
    'useEffect',
    'useId',
    'useLayoutEffect',
    'useMemo',
    'useReducer',
  ],
  ...['useRef', 'useState', 'useSyncExternalStore', 'useTransition'],
]);

test('[HK1] only features of React 18 are used', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const used = files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
    .flatMap((file) => {
      const source = readFileSync(join(import.meta.dirname, file), 'utf8');
      const lists = [...source.matchAll(/import \{([^}]*)\} from 'react';/g)].map(([, names = '']) => names);
      // React 18 cannot render a context object as an element; only React 19 can.
      expect(source).not.toMatch(/<\w+Context(?: value|>)/);
      return lists.flatMap((names) => names.split(',').map((name) => name.trim()));
    })
    .filter((name) => name !== '' && !name.startsWith('type '));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !react18.has(name))).toEqual([]);
});
