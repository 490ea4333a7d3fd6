// An MCP server over stdio whose behaviour is its first argument. Plain JavaScript without the SDK, so that it starts
// quickly and can send what no SDK would.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , mode = 'good', detail = ''] = process.argv;

const object = { type: 'object' };
let tools = [
  { name: 'echo', description: 'Says it again.', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'pid', description: 'Names the process.', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'env', description: 'Shows the environment.', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'write', description: 'Writes.', inputSchema: object },
];

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function said(text, more = {}) {
  return { content: [{ type: 'text', text }], ...more };
}

const cancelled = [];

/** Returns the result of a call; undefined sends no response. */
function call({ name, arguments: given = {} }) {
  switch (name) {
    case 'echo':
      return said(String(given.text ?? ''));
    case 'pid':
      return said(String(process.pid));
    case 'env':
      return said(JSON.stringify(process.env));
    case 'write':
      return said('written');
    case 'die':
      process.stderr.write('Out of cheese.\n');
      process.exit(7);
      break;
    case 'hang':
      return undefined;
    case 'cancelled':
      return said(JSON.stringify(cancelled));
    case 'flood':
      process.stdout.write('x'.repeat(Number(given.bytes)));
      return undefined;
    case 'much':
      return said('é'.repeat(Number(given.length)));
    case 'fail':
      return said('no such file', { isError: true });
    case 'refuse':
      throw new Error('not in this way');
    case 'parts':
      return { content: given.content, ...given.more };
    case 'change':
      tools = tools.map((tool) => (tool.name === 'echo' ? { ...tool, ...given } : tool));
      send({ method: 'notifications/tools/list_changed' });
      return said('changed');
    case 'drop':
      tools = tools.filter((tool) => tool.name !== 'echo');
      send({ method: 'notifications/tools/list_changed' });
      return said('dropped');
    default:
      return said('what?');
  }
  return undefined;
}

function more(...names) {
  tools = [...tools, ...names.map((name) => ({ name, inputSchema: object, annotations: { readOnlyHint: true } }))];
}

if (mode === 'good') more('die', 'hang', 'cancelled', 'flood', 'much', 'fail', 'refuse', 'parts', 'change', 'drop');
if (mode === 'described') tools = [{ ...tools[0], ...JSON.parse(detail) }];
if (mode === 'listed') tools = JSON.parse(detail);
if (mode === 'many') more(...Array.from({ length: Number(detail) }, (_, index) => `tool-${index}`));
if (mode === 'talkative') process.stdout.write('Welcome!\n{"half": \n\n[]\n');
if (mode === 'stubborn') {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => undefined);
  setInterval(() => undefined, 1_000);
  // The child process ignores signals like its parent.
  const child = ['-e', "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)", `grandchild-${detail}`];
  spawn(process.execPath, child, { stdio: 'ignore' });
}

function answer({ id, method, params = {} }) {
  if (mode === 'never-answer') return;
  if (method === 'initialize') {
    if (mode === 'die-on-init') {
      process.stderr.write(`Cannot begin; the token is ${process.env.TOKEN}.\n`);
      process.exit(3);
    }
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities: mode === 'no-tools' ? {} : { tools: { listChanged: true } },
      serverInfo: { name: 'odd', version: '1' },
    };
    send({ id, result });
  } else if (method === 'tools/list') {
    if (mode === 'pages') send({ id, result: page(Number(params.cursor ?? 0)) });
    else if (mode === 'circle') send({ id, result: { tools, nextCursor: 'again' } });
    else if (mode === 'no-list') send({ id, result: { tools: 'none' } });
    else send({ id, result: { tools } });
  } else if (method === 'tools/call') {
    try {
      const result = call(params);
      if (result !== undefined) send({ id, result });
    } catch (error) {
      send({ id, error: { code: -32602, message: error.message } });
    }
  } else if (method === 'notifications/cancelled') cancelled.push(params.reason ?? '');
  else if (method === 'ping' && mode !== 'deaf') send({ id, result: {} });
}

/** Returns a page of three tools; there is always a next page. */
function page(at) {
  const names = [0, 1, 2].map((index) => `tool-${at * 3 + index}`);
  return { tools: names.map((name) => ({ name, inputSchema: object })), nextCursor: String(at + 1) };
}

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
