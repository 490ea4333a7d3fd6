import { openUrl } from '../../browser.ts';
import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const open = defineSubcommand({
  name: 'open',
  summary: 'open the page of the running server at a chat',
  group: 'Manage',
  arguments: [
    { ...chatArgument, summary: `${chatArgument.summary} (default: the list)`, optional: true },
    { name: 'message', summary: 'message to show (default: the active one)', optional: true, completes: 'node' },
  ],
  options: [{ name: 'no-browser', summary: 'only print the URL' }],
  examples: ['coppice open', 'coppice open last', 'coppice open last @~2 --no-browser'],
  async run(given, at) {
    const { findServer } = await import('../../remote/find-server.ts');
    const { url } = await findServer(at);
    const [tree, node] = ['chat', 'message'].map(given.optional);
    const row = tree === undefined ? null : await findTree(at, tree);
    const nodeId = row === null || node === undefined ? null : await findNodeInTree(at, row, node);
    const path = row === null ? '/' : `/t/${[row.id, ...(nodeId === null ? [] : [nodeId])].join('/')}`;
    const address = `${url}${path}`;
    // The browser is signed in by its cookie. A token in the URL would be visible to other users of the machine.
    const opened = !given.flag('no-browser') && at.host.stdout.isTTY === true && openUrl(address, at.host.env);
    return { data: { url: address, opened }, lines: [opened ? `Opened ${address}` : address] };
  },
});
