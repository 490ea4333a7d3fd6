/**
 * A fake provider server on the loopback interface that fails in a chosen way, for the APIs of OpenAI and Anthropic.
 */
import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { openRawServer, type RawServer, type SeenRequest } from './raw-server.ts';
import { encodeFailure, encodePing, encodeReply, encodeReplyStream, type WireName, type WireReply } from './wires.ts';

/** The ways in which the server can fail. */
export const fakeFaults = [
  /** Accepts the request and never responds. */
  'hang',
  /** Three events, then only pings for longer than any timeout, then the rest. */
  'hang-after-3',
  /** Three events, then the socket is destroyed. */
  'drop',
  /** The socket is destroyed before any data is sent. */
  'drop-at-once',
  '429',
  '429-patient',
  '500',
  '503',
  '529',
  '401',
  '404',
  '400-overflow',
  /** An event or a body that is not JSON. */
  'garbage',
  /** JSON that is cut off by the end of the body. */
  'truncated',
  'html',
  /** An HTML page with the expected content type. */
  'html-in-disguise',
  'wrong-type',
  'empty',
  /** A small compressed body that unpacks to 256 MB. */
  'gzip-bomb',
  /** An endless stream of events. */
  'endless',
  /** An endless event. */
  'endless-event',
  /** One byte at a time, slower than any timeout. */
  'slow',
  /** Two calls with the same id. */
  'dup-ids',
  'bad-utf8',
  /** The reply ends inside the arguments of a call. */
  'toolcall-cut',
  /** An error in the middle of a stream. */
  'error-event',
  /** An error before any text. */
  'error-at-once',
  'redirect',
  /** A non-streamed response although a stream was requested. */
  'whole-anyway',
] as const;

export type FakeFault = (typeof fakeFaults)[number];

/** What the server sends for a request: a reply, or a fault. */
export type FakeResponse = WireReply | FakeFault;

/** The reply if a test specifies none. */
export const plainReply: WireReply = { text: 'One two three four five.' };

/** A reply with a tool call that faults cut off or duplicate. */
export const toolCallReply: WireReply = {
  text: 'Let me look.',
  calls: [
    { id: 'call_1', name: 'look', parameters: { place: 'a long enough argument to be cut' } },
    { id: 'call_2', name: 'look', parameters: { place: 'another place' } },
  ],
};

export interface FakeProvider extends RawServer {
  /** The number of responses that the client aborted. */
  readonly brokenOff: number;
}

/** Starts a server that answers each request with the next item of `turns`, and then with the default reply. */
export async function openFakeProvider(turns: readonly FakeResponse[] = []): Promise<FakeProvider> {
  let brokenOff = 0;
  const server = await openRawServer(async (request, response, number) => {
    const turn = turns[number] ?? plainReply;
    response.on('close', () => {
      if (!response.writableFinished) brokenOff++;
    });
    await (typeof turn === 'string' ? misbehave(turn, request, response) : behave(turn, request, response));
  });
  return Object.defineProperties(
    { ...server, brokenOff },
    {
      brokenOff: { get: () => brokenOff, enumerable: true },
      sockets: { get: () => server.sockets, enumerable: true },
    },
  );
}

function wireOf(request: SeenRequest): WireName {
  return request.path.endsWith('/messages') ? 'anthropic' : 'openai';
}

function wantsStream(request: SeenRequest): boolean {
  const body: unknown = JSON.parse(request.body);
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}

const streamHead = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function behave(reply: WireReply, request: SeenRequest, response: ServerResponse): void {
  const wire = wireOf(request);
  if (!wantsStream(request)) {
    sendJson(response, 200, encodeReply(wire, reply));
    return;
  }
  response.writeHead(200, streamHead);
  for (const event of encodeReplyStream(wire, reply)) response.write(event);
  response.end();
}

/** Writes a chunk many times, as fast as the client reads. */
async function pour(response: ServerResponse, piece: string | Buffer, times: number): Promise<void> {
  for (let count = 0; count < times && !response.destroyed; count++) {
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const go = () => {
        response.off('drain', go);
        response.off('close', go);
        resolve();
      };
      response.on('drain', go);
      response.on('close', go);
    });
  }
}

const manyTimes = 1_000_000;
const page = `<!doctype html><html><head><title>Sign in</title></head><body>${'<p>portal</p>'.repeat(400)}</body></html>`;

async function misbehave(fault: FakeFault, request: SeenRequest, response: ServerResponse): Promise<void> {
  const wire = wireOf(request);
  const stream = wantsStream(request);
  const begin = () => response.writeHead(200, stream ? streamHead : { 'content-type': 'application/json' });
  const text = () => JSON.stringify(encodeReply(wire, plainReply));
  const firstThree = () => {
    begin();
    if (!stream) response.write(text().slice(0, 40));
    else for (const event of saying(wire, 3)) response.write(event);
  };
  switch (fault) {
    case 'hang':
      return;
    case 'hang-after-3': {
      firstThree();
      if (!stream) return;
      let left = 75;
      const pings = setInterval(() => {
        response.write(encodePing(wire));
        left--;
        if (left > 0) return;
        // A client that does not time out during the pings gets the rest, which the test then detects.
        clearInterval(pings);
        response.end(encodeReplyStream(wire, plainReply).slice(saying(wire, 3).length).join(''));
      }, 20);
      response.on('close', () => clearInterval(pings));
      return;
    }
    case 'drop':
      firstThree();
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
      return;
    case 'drop-at-once':
      response.destroy();
      return;
    case '429':
      sendJson(response, 429, encodeFailure(wire, 429), { 'retry-after': '0' });
      return;
    case '429-patient':
      sendJson(response, 429, encodeFailure(wire, 429), { 'retry-after': '3600' });
      return;
    case '500':
    case '503':
    case '529':
      sendJson(response, Number(fault), encodeFailure(wire, Number(fault)));
      return;
    case '401':
      // Some servers repeat the key in the error message.
      sendJson(response, 401, {
        error: {
          message: `Incorrect key ${String(request.headers.authorization ?? request.headers['x-api-key'])}`,
          type: 'authentication_error',
        },
      });
      return;
    case '404':
      sendJson(response, 404, { error: { message: 'The model m-x does not exist', type: 'not_found_error' } });
      return;
    case '400-overflow':
      sendJson(response, 400, {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      });
      return;
    case 'garbage':
      begin();
      response.end(stream ? 'data: {"choices": [{"delta": {"content": oops}}]}\n\n' : '{"choices": oops');
      return;
    case 'truncated':
      begin();
      if (stream) response.end(saying(wire, 2).join('') + encodeReplyStream(wire, plainReply).at(-3)?.slice(0, 30));
      else response.end(text().slice(0, 60));
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(page);
      return;
    case 'html-in-disguise':
      begin();
      response.end(page);
      return;
    case 'wrong-type':
      response.writeHead(200, { 'content-type': 'image/png' });
      response.end(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
      return;
    case 'empty':
      begin();
      response.end();
      return;
    case 'gzip-bomb': {
      response.writeHead(200, {
        ...(stream ? streamHead : { 'content-type': 'application/json' }),
        'content-encoding': 'gzip',
      });
      const zip = createGzip();
      zip.pipe(response);
      const zeros = Buffer.alloc(1024 * 1024, 0x20);
      zip.write(stream ? 'data: ' : '"');
      for (let count = 0; count < 256 && !response.destroyed; count++)
        if (!zip.write(zeros)) await new Promise((resolve) => zip.once('drain', resolve));
      zip.end();
      return;
    }
    case 'endless': {
      begin();
      const piece = stream ? saying(wire, 3).slice(1).join('').repeat(500) : ' '.repeat(64 * 1024);
      if (stream) response.write(encodeReplyStream(wire, plainReply)[0] ?? '');
      await pour(response, piece, manyTimes);
      return;
    }
    case 'endless-event':
      begin();
      response.write(stream ? 'data: {"x":"' : '{"x":"');
      await pour(response, 'x'.repeat(64 * 1024), manyTimes);
      return;
    case 'slow': {
      begin();
      const bytes = stream ? encodeReplyStream(wire, plainReply).join('') : text();
      let at = 0;
      const drip = setInterval(() => response.write(bytes[at++ % bytes.length] ?? ' '), 20);
      response.on('close', () => clearInterval(drip));
      return;
    }
    case 'dup-ids': {
      const calls = (toolCallReply.calls ?? []).map((call) => ({ ...call, id: 'call_0' }));
      behave({ ...toolCallReply, calls }, request, response);
      return;
    }
    case 'bad-utf8': {
      begin();
      const good = Buffer.from(stream ? encodeReplyStream(wire, plainReply).join('') : text());
      const at = good.indexOf('two');
      // A lone continuation byte, and a lead byte without its continuation.
      response.end(Buffer.concat([good.subarray(0, at), Buffer.from([0x80, 0xe2]), good.subarray(at)]));
      return;
    }
    case 'toolcall-cut': {
      begin();
      if (stream) response.end(cutCall(wire).join(''));
      else sendCutWhole(wire, response);
      return;
    }
    case 'error-event':
    case 'error-at-once': {
      begin();
      const said = JSON.stringify(encodeFailure(wire, 529));
      if (!stream) response.end(said);
      else response.end(`${(fault === 'error-event' ? saying(wire, 3) : []).join('')}event: error\ndata: ${said}\n\n`);
      return;
    }
    case 'redirect':
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' });
      response.end();
      return;
    case 'whole-anyway':
      sendJson(response, 200, encodeReply(wire, plainReply));
      return;
  }
}

/** Returns the first events of a stream, with `most` content events. */
function saying(wire: WireName, most: number): string[] {
  const events = encodeReplyStream(wire, plainReply);
  return events.slice(0, most + (wire === 'openai' ? 1 : 2));
}

/** Returns a stream that ends with `length` in the middle of the first call's arguments. */
function cutCall(wire: WireName): string[] {
  const events = encodeReplyStream(wire, toolCallReply);
  const last = events.findIndex((event) => event.includes('place'));
  const kept = events.slice(0, last + 2);
  if (wire === 'openai')
    return [...kept, 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n', 'data: [DONE]\n\n'];
  const stop =
    '{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":4}}';
  return [
    ...kept,
    'data: {"type":"content_block_stop","index":1}\n\n',
    `data: ${stop}\n\n`,
    'data: {"type":"message_stop"}\n\n',
  ];
}

function sendCutWhole(wire: WireName, response: ServerResponse): void {
  const body = JSON.stringify(encodeReply(wire, { ...toolCallReply, calls: (toolCallReply.calls ?? []).slice(0, 1) }));
  // OpenAI sends arguments as text, which can be cut; Anthropic sends an object.
  response.end(
    wire === 'openai' ? body.replace('argument to be cut\\"}', '').replace('"tool_calls",', '"length",') : body,
  );
}
