// Starts a program behind a tap: every request that the program sends and every response that it gets is written to a
// file as bytes, so that a test can compare them with those of the service. The tap replaces the addresses of Coppice
// in the program's variables, arguments and extension files by its own. Usage: node tap-program.mjs <file for the
// exchanges> <program> [arguments…]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as sendRequest } from 'node:http';

const [file, program, ...words] = process.argv.slice(2);
const pattern = /127\.0\.0\.1:(\d+)\/p\//;
const readable = (word) => (existsSync(word) && statSync(word).isFile() ? readFileSync(word, 'utf8') : '');
const texts = [...Object.values(process.env), ...words, ...words.filter((word) => word.endsWith('.mjs')).map(readable)];
const port = texts.map((text) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
if (port === undefined) throw new Error('Nothing names the address of Coppice.');

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

const tap = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const forwarded = sendRequest(
    { host: '127.0.0.1', port, method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      const received = [];
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.on('data', (piece) => received.push(piece));
      answer.on('end', () => {
        const exchange = {
          method: request.method,
          path: request.url,
          headers: request.headers,
          body: hashOf(body),
          status: answer.statusCode,
          answer: hashOf(Buffer.concat(received)),
        };
        appendFileSync(file, `${JSON.stringify(exchange)}\n`);
      });
      answer.pipe(response);
    },
  );
  forwarded.on('error', () => response.destroy());
  forwarded.end(body);
});

tap.listen(0, '127.0.0.1', () => {
  const tapped = (text) => text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${tap.address().port}`);
  for (const word of words) if (word.endsWith('.mjs') && existsSync(word)) writeFileSync(word, tapped(readable(word)));
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, tapped(value)]));
  // Without a terminal these programs would read the rest of their input before they start.
  const running = spawn(program, words.map(tapped), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.stdout.on('data', (piece) => appendFileSync(`${file}.out`, piece));
  running.on('exit', (code) => {
    process.exitCode = code ?? 1;
    tap.close();
    tap.closeAllConnections();
  });
});
