/**
 * One server process of the torture run: opens the store, listens on a free port, prints `{port, token}`, and runs
 * until it is killed. Without a token it is a server with users.
 */
import { parseConfig } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { serve } from '../serve.ts';

const [url = '', token = ''] = process.argv.slice(2);
const store = await openStore(url);
const config = parseConfig({ name: 'torture.toml', text: 'model = "offline/babble"\n[offline]\ndelay_ms = 0\n' }, {});
const auth = token === '' ? ({ mode: 'users' } as const) : ({ mode: 'token', token } as const);
const listening = await serve({ store, config, auth, titles: false, port: 0 });
process.stdout.write(`${JSON.stringify({ port: listening.port, token })}\n`);
// Exits when the parent process has ended.
process.stdin.on('end', () => process.exit(0)).resume();
