/** A small reader for the XML in office files: returns tags and texts in order and builds no tree. */

/** A start tag, an end tag or a text. */
export type XmlToken =
  | { readonly type: 'open'; readonly name: string; readonly attributes: string; readonly isEmpty: boolean }
  | { readonly type: 'close'; readonly name: string }
  | { readonly type: 'text'; readonly text: string };

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities.get(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

/**
 * Returns the tokens of an XML text, without comments, instructions and declarations. Invalid XML ends the tokens
 * early.
 */
export function* readXmlTokens(xml: string): Generator<XmlToken, void, void> {
  let at = 0;
  while (at < xml.length) {
    const start = xml.indexOf('<', at);
    if (start < 0) return;
    if (start > at) yield { type: 'text', text: decodeEntities(xml.slice(at, start)) };
    if (xml.startsWith('<!--', start)) {
      const end = xml.indexOf('-->', start);
      if (end < 0) return;
      at = end + 3;
      continue;
    }
    if (xml.startsWith('<![CDATA[', start)) {
      const end = xml.indexOf(']]>', start);
      if (end < 0) return;
      yield { type: 'text', text: xml.slice(start + 9, end) };
      at = end + 3;
      continue;
    }
    const end = xml.indexOf('>', start);
    if (end < 0) return;
    at = end + 1;
    const mark = xml[start + 1];
    if (mark === '?' || mark === '!') continue;
    if (mark === '/') {
      yield { type: 'close', name: xml.slice(start + 2, end).trim() };
      continue;
    }
    const isEmpty = xml[end - 1] === '/';
    const inside = xml.slice(start + 1, isEmpty ? end - 1 : end);
    const space = inside.search(/\s/);
    const name = space < 0 ? inside : inside.slice(0, space);
    yield { type: 'open', name, attributes: space < 0 ? '' : inside.slice(space), isEmpty };
  }
}

/** Returns the value of an attribute; null if the tag does not have it. */
export function readXmlAttribute(attributes: string, name: string): string | null {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found === null ? null : decodeEntities(found[1] ?? found[2] ?? '');
}
