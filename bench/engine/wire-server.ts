/**
 * A provider with OpenAI's API in a separate process, so that its work is not counted as ours. The model's name selects
 * the reply: `words-<count>-<ms>` sends `count` words, one every `ms` milliseconds; with 0 ms it sends them as fast as
 * they are read. A third number is the delay before the first word.
 */
import { createServer, type ServerResponse } from 'node:http';

function event(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'words', choices })}\n\n`;
}

const beginning = event({ role: 'assistant', content: '' });
const usage = { prompt_tokens: 20, completion_tokens: 100, total_tokens: 120 };
const ending = `${event({}, 'stop')}data: ${JSON.stringify({ id: 'c1', choices: [], usage })}\n\ndata: [DONE]\n\n`;
const word = (at: number) => event({ content: ` word${at % 1_000}` });

function pour(response: ServerResponse, count: number): void {
  // Writes 32 events at a time, about as many as one read returns from a fast provider.
  for (let at = 0; at < count; at += 32) {
    let some = '';
    for (let one = at; one < Math.min(count, at + 32); one++) some += word(one);
    response.write(some);
  }
  response.end(ending);
}

function drip(response: ServerResponse, count: number, everyMs: number): void {
  const from = performance.now();
  let said = 0;
  const timer = setInterval(() => {
    // Timed by the clock instead of timer ticks, because a busy machine must not slow the provider down.
    const due = Math.min(count, Math.floor((performance.now() - from) / everyMs));
    for (; said < due; said++) response.write(word(said));
    if (said < count) return;
    clearInterval(timer);
    response.end(ending);
  }, everyMs);
  response.on('close', () => clearInterval(timer));
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += String(piece);
  const [, count = '1', everyMs = '0', thinkMs = '0'] = /"words-(\d+)-(\d+)(?:-(\d+))?"/.exec(body) ?? [];
  if (thinkMs !== '0') await new Promise((resolve) => setTimeout(resolve, Number(thinkMs)));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(beginning);
  if (everyMs === '0') pour(response, Number(count));
  else drip(response, Number(count), Number(everyMs));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
});
// Exits when the parent process ends.
process.on('disconnect', () => process.exit());
