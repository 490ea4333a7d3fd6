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
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    // A carriage return at the end of a chunk may be the first half of a line break.
    const complete = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = complete.split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(complete.length);
    for (const line of lines) takeLine(line);
  }
}
