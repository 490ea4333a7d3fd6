/**
 * One server process of the torture run: opens the store, listens on a free port, prints `{port, token}`, and runs
 * until it is killed.
 */
import { parseConfig } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { serve } from '../serve.ts';

const [url = '', token = ''] = process.argv.slice(2);
const store = await openStore(url);
const config = parseConfig({ name: 'torture.toml', text: 'model = "offline/babble"\n[offline]\ndelay_ms = 0\n' }, {});
const listening = await serve({ store, config, auth: { mode: 'token', token }, titles: false, port: 0 });
process.stdout.write(`${JSON.stringify({ port: listening.port, token })}\n`);
// Exits when its parent has died.
process.stdin.on('end', () => process.exit(0)).resume();
