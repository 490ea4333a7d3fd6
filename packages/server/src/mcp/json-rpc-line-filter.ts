/**
 * Checks the lines of an agent before the SDK reads them, because the SDK drops an unreadable line without an answer.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { isFieldMap } from '@coppice/core/decode';
import { ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** The longest line in bytes, as for a JSON body over HTTP. */
export const maxJsonRpcLineBytes = 20 * 1024 * 1024;
// Enough bytes for the id of a message, which clients write first or last.
const edgeBytes = 512;
const lineFeed = 0x0a;

type MessageId = string | number | null;

/**
 * Passes valid messages on, one per line. For every other line it calls `answer` with the line of an error, except for
 * empty lines and invalid notifications and responses, which are never answered.
 */
export class JsonRpcLineFilter extends Transform {
  readonly #answer: (line: string) => void;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(answer: (line: string) => void) {
    super();
    this.#answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      this.#take(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
    done();
  }

  #take(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    this.#parts.push(part);
    if (this.#length <= maxJsonRpcLineBytes) return;
    // Of a line that is too long only its edges are kept.
    const whole = Buffer.concat(this.#parts);
    this.#parts = [whole.subarray(0, edgeBytes), whole.subarray(-edgeBytes)].map((edge) => Buffer.from(edge));
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts);
    const isTooLong = this.#length > maxJsonRpcLineBytes;
    this.#parts = [];
    this.#length = 0;
    if (isTooLong) {
      const message = `The message is too long: at most ${maxJsonRpcLineBytes} bytes are allowed.`;
      this.#refuse(idAtEdge(line), ProtocolErrorCode.InvalidRequest, message);
    } else this.#checkLine(line);
  }

  #checkLine(line: Buffer): void {
    const text = line.toString();
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#refuse(null, ProtocolErrorCode.ParseError, 'The line is not valid JSON.');
    }
    if (isMessage(value)) this.push(Buffer.concat([line, Buffer.of(lineFeed)]));
    else if (needsAnswer(value))
      this.#refuse(idOf(value), ProtocolErrorCode.InvalidRequest, 'The line is not a message of JSON-RPC 2.0.');
  }

  #refuse(id: MessageId, code: number, message: string): void {
    this.#answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }
}

function isMessage(value: unknown): boolean {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether the sender of an invalid message waits for an answer. Notifications and responses are not answered. */
function needsAnswer(value: unknown): boolean {
  if (!isFieldMap(value)) return true;
  if ('result' in value || 'error' in value) return false;
  return 'id' in value || !('method' in value);
}

function idOf(value: unknown): MessageId {
  const found = isFieldMap(value) ? value['id'] : null;
  return typeof found === 'string' || typeof found === 'number' ? found : null;
}

const version = String.raw`"jsonrpc"\s*:\s*"2\.0"\s*`;
const id = String.raw`"id"\s*:\s*("[^"\\]*"|\d{1,15})\s*`;
const idFirst = new RegExp(`^\\s*\\{\\s*${version},\\s*${id}[,}]`);
const idLast = new RegExp(`${version},\\s*${id}\\}\\s*$`);

/** Returns the id of a message of which only the beginning and the end are known. */
function idAtEdge(edges: Buffer): MessageId {
  const text = edges.toString();
  const [, found] = idFirst.exec(text) ?? idLast.exec(text) ?? [];
  return found === undefined ? null : idOf({ id: JSON.parse(found) });
}
