/**
 * Parses server-sent events without `EventSource`, which does not support bearer tokens and does not exist in Node.
 */

/**
 * Parses the events of a stream, and calls `take` with the name and the data of each. Resolves when the stream ends.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  take: (name: string, data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const push = createEventParser(take);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    push(decoder.decode(value, { stream: true }));
  }
}

/** Returns a function that takes the next part of the text, and calls `take` for each complete event. */
export function createEventParser(take: (name: string, data: string) => void): (text: string) => void {
  let rest = '';
  let name = '';
  let data: string[] = [];
  const takeLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) take(name === '' ? 'message' : name, data.join('\n'));
      name = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  };
  return (text) => {
    rest += text;
    // A carriage return at the end of a chunk may be the first half of a line break.
    const complete = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = complete.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(complete.length);
    for (const line of lines) takeLine(line);
  };
}
