/** An OpenAI-compatible server on the loopback interface, with a list of models and an optional key. */
import { openRawServer, type RawServer, type SeenRequest } from './raw-server.ts';
import { encodeReply, encodeReplyStream, type WireReply } from './wires.ts';

/** How the server answers requests. */
export interface ModelServerOptions {
  readonly models?: readonly string[];
  /** The key that requests must have, else they get 401; by default none. */
  readonly key?: string;
  /** The reply to every request, or a function that returns one per request. */
  readonly reply?: WireReply | ((request: SeenRequest) => WireReply);
  /** How many requests for a reply first get 429 with a delay of two seconds. */
  readonly refusals?: number;
}

/** Starts a server; its URL ends with `/v1`. */
export async function openModelServer(options: ModelServerOptions = {}): Promise<RawServer> {
  const { models = ['small-model', 'large-model'], key, reply = { text: 'Hello from the fake server.' } } = options;
  const { refusals = 0 } = options;
  let refused = 0;
  const server = await openRawServer((request, response) => {
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return json(401, { error: { message: 'Incorrect API key provided.', type: 'authentication_error' } });
    if (request.path === '/v1/models') return json(200, { object: 'list', data: models.map((id) => ({ id })) });
    if (request.path !== '/v1/chat/completions') return json(404, { error: { message: 'There is no such path.' } });
    if (refused < refusals) {
      refused++;
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '2' });
      response.end(JSON.stringify({ error: { message: 'Too many requests.', type: 'rate_limit_error' } }));
      return;
    }
    const made = typeof reply === 'function' ? reply(request) : reply;
    if (JSON.parse(request.body).stream !== true) return json(200, encodeReply('openai', made));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of encodeReplyStream('openai', made)) response.write(event);
    response.end();
  });
  return Object.defineProperties(
    { ...server },
    {
      url: { value: `${server.url}/v1`, enumerable: true },
      sockets: { get: () => server.sockets, enumerable: true },
    },
  );
}
