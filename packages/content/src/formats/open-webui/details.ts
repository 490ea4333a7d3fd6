// Parses the sections that older versions of Open WebUI wrote into the text of a reply: reasoning, calls with their
// results, and code with its output. Newer versions store these as structured items.
import type { Json, JsonObject } from '@coppice/core';
import { parseFiniteJson } from '../../finite-json.ts';
import { decodeEntities } from '../entities.ts';
import { fromOpenAiToolCall } from '../openai-messages.ts';
import type { ReplyItem } from '../reply-items.ts';
import { toTextBlocks } from '../turn-nodes.ts';

// A section begins on a line of its own. Its kind is the first attribute.
const opening = /^<details type="(reasoning|tool_calls|code_interpreter)"((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*)\s*>/gm;
const closing = '</details>';

interface Section {
  readonly attributes: ReadonlyMap<string, string>;
  /** The text after the summary. */
  readonly body: string;
}

function sectionOf(attributes: string, inside: string): Section {
  const found = new Map<string, string>();
  for (const [, key = '', double, single] of attributes.matchAll(/([\w-]+)=(?:"([^"]*)"|'([^']*)')/g))
    found.set(key, decodeEntities(double ?? single ?? ''));
  const body = inside.replace(/^\s*<summary>[^<]*<\/summary>\n?/, '').replace(/\n$/, '');
  return { attributes: found, body };
}

/**
 * Removes the quote marker `>` at the beginning of each line. Newer versions escape the text as HTML, older ones do
 * not.
 */
function reasoningText(body: string): string {
  const plain = /^&gt;/m.test(body) ? decodeEntities(body) : body;
  return plain.replace(/^> ?/gm, '');
}

/** Parses an attribute that contains JSON; text that is not JSON is returned unchanged. */
function parseAttribute(text: string): Json {
  try {
    return parseFiniteJson(text);
  } catch {
    return text;
  }
}

const asText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));

function resultItem(callId: string, name: string, text: string): ReplyItem {
  return { type: 'result', callId, name, content: [{ type: 'text', text }], isError: false };
}

function callItems({ attributes, body }: Section, fallback: string, index: number): ReplyItem[] {
  const given = attributes.get('id') ?? '';
  const id = given === '' ? fallback : given;
  const name = attributes.get('name') || 'unknown';
  const called = fromOpenAiToolCall(
    { id, name, arguments: asText(parseAttribute(attributes.get('arguments') ?? '')) },
    index,
  );
  const call: ReplyItem = { type: 'blocks', blocks: [called] };
  if (attributes.get('done') === 'false') return [call];
  // Some versions write the result after the summary instead.
  const result = attributes.get('result') ?? decodeEntities(body.trim());
  return [call, resultItem(id, name, asText(parseAttribute(result)))];
}

function codeItems({ attributes, body }: Section, id: string, index: number): ReplyItem[] {
  const name = 'code_interpreter';
  const lines = body.trim().split('\n');
  const fenced = lines.length > 1 && body.trimStart().startsWith('```') && lines.at(-1)?.startsWith('```') === true;
  const language = fenced ? (lines[0] ?? '').replace(/^`+/, '').trim() : '';
  const code = fenced ? lines.slice(1, -1).join('\n') : body;
  const fields: JsonObject = { ...(language === '' ? {} : { language }), code };
  const call: ReplyItem = {
    type: 'blocks',
    blocks: [fromOpenAiToolCall({ id, name, arguments: JSON.stringify(fields) }, index)],
  };
  const output = attributes.get('output') ?? '';
  return output === '' ? [call] : [call, resultItem(id, name, asText(parseAttribute(output)))];
}

/** Removes empty lines at both ends. */
function withoutOuterLines(text: string): string {
  let from = 0;
  let to = text.length;
  while (text[from] === '\n') from++;
  while (to > from && text[to - 1] === '\n') to--;
  return text.slice(from, to);
}

/** Collects the items of a reply. Calls that follow each other are one step, so their results come after the last. */
class SectionItems {
  readonly items: ReplyItem[] = [];
  #results: ReplyItem[] = [];

  addText(text: string): void {
    if (text.trim() !== '') this.#add({ type: 'blocks', blocks: toTextBlocks(withoutOuterLines(text)) });
  }

  addSection(kind: string | undefined, section: Section, id: string, index: number): void {
    if (kind === 'reasoning')
      this.#add({ type: 'blocks', blocks: [{ type: 'thinking', thinking: reasoningText(section.body) }] });
    else if (kind === 'tool_calls')
      for (const item of callItems(section, id, index))
        (item.type === 'result' ? this.#results : this.items).push(item);
    else for (const item of codeItems(section, id, index)) this.#add(item);
  }

  end(): readonly ReplyItem[] {
    for (const result of this.#results) this.items.push(result);
    this.#results = [];
    return this.items;
  }

  #add(item: ReplyItem): void {
    this.end();
    this.items.push(item);
  }
}

/** Splits the text of a reply at its sections; undefined if it has none. A section that does not end remains text. */
export function splitReplySections(content: string, id: string): ReplyItem[] | undefined {
  const made = new SectionItems();
  let at = 0;
  let count = 0;
  for (const found of content.matchAll(opening)) {
    if (found.index < at) continue;
    const begin = found.index + found[0].length;
    const end = content.indexOf(closing, begin);
    if (end === -1) break;
    made.addText(content.slice(at, found.index));
    const section = sectionOf(found[2] ?? '', content.slice(begin, end));
    made.addSection(found[1], section, `${id}-call-${count}`, count++);
    at = end + closing.length;
  }
  if (at === 0) return undefined;
  made.addText(content.slice(at));
  return [...made.end()];
}
