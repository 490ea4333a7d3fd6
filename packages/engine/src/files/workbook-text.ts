/** Converts the cells of an XLSX workbook to comma-separated lines, sheet by sheet. */
import { readXmlAttribute, readXmlTokens } from './xml-tokens.ts';

type ReadPart = (name: string) => string | null;

/** Returns the sheets of a workbook as text, in their order. */
export function readWorkbookText(part: ReadPart): string {
  const texts = sharedTexts(part('xl/sharedStrings.xml') ?? '');
  const dates = dateStyles(part('xl/styles.xml') ?? '');
  const targets = sheetTargets(part('xl/_rels/workbook.xml.rels') ?? '');
  const sheets: string[] = [];
  for (const token of readXmlTokens(part('xl/workbook.xml') ?? '')) {
    if (token.type !== 'open' || token.name !== 'sheet') continue;
    const name = readXmlAttribute(token.attributes, 'name') ?? '';
    const target = targets.get(readXmlAttribute(token.attributes, 'r:id') ?? '');
    const xml = target === undefined ? null : part(target);
    if (xml !== null) sheets.push(`## ${name}\n\n${sheetText(xml, texts, dates)}`);
  }
  return sheets.join('\n\n');
}

function sheetTargets(xml: string): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const token of readXmlTokens(xml)) {
    if (token.type !== 'open' || token.name !== 'Relationship') continue;
    const [id, target] = [readXmlAttribute(token.attributes, 'Id'), readXmlAttribute(token.attributes, 'Target')];
    if (id !== null && target !== null) targets.set(id, target.startsWith('/') ? target.slice(1) : `xl/${target}`);
  }
  return targets;
}

/** Returns the shared strings that cells refer to, without the phonetic guides of East Asian texts. */
function sharedTexts(xml: string): readonly string[] {
  const texts: string[] = [];
  let text = '';
  let [isText, phonetic] = [false, 0];
  for (const token of readXmlTokens(xml)) {
    if (token.type === 'text') {
      if (isText && phonetic === 0) text += token.text;
      continue;
    }
    const isOpen = token.type === 'open';
    if (token.name === 't') isText = isOpen && !token.isEmpty;
    else if (token.name === 'rPh' && !(isOpen && token.isEmpty)) phonetic += isOpen ? 1 : -1;
    else if (token.name === 'si' && (!isOpen || token.isEmpty)) {
      texts.push(text);
      text = '';
    }
  }
  return texts;
}

/** Returns the numbers of the styles whose values are dates. */
function dateStyles(xml: string): ReadonlySet<number> {
  const dateFormats = new Set([14, 15, 16, 17, 22]);
  const styles = new Set<number>();
  let [inCells, style] = [false, 0];
  for (const token of readXmlTokens(xml)) {
    if (token.type === 'text') continue;
    if (token.name === 'cellXfs') inCells = token.type === 'open';
    if (token.type !== 'open') continue;
    if (token.name === 'numFmt') {
      const code = (readXmlAttribute(token.attributes, 'formatCode') ?? '').replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
      if (/y/i.test(code) && /[md]/i.test(code))
        dateFormats.add(Number(readXmlAttribute(token.attributes, 'numFmtId') ?? -1));
    } else if (inCells && token.name === 'xf') {
      if (dateFormats.has(Number(readXmlAttribute(token.attributes, 'numFmtId') ?? 0))) styles.add(style);
      style++;
    }
  }
  return styles;
}

const dayMs = 86_400_000;

/** Formats a date from its number of days since 1900; the time of day only if it is not midnight. */
function dateFrom(serial: number): string {
  const date = new Date(Math.round((serial - 25_569) * dayMs));
  if (Number.isNaN(date.getTime())) return String(serial);
  const text = date.toISOString();
  return serial % 1 === 0 ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
}

function columnOf(place: string | null): number | null {
  const [, letters] = /^([A-Z]{1,3})\d+$/.exec(place ?? '') ?? [];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + (letter.charCodeAt(0) - 64);
  return column - 1;
}

function quoteCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface Cell {
  readonly type: string;
  readonly style: number;
  readonly column: number;
}

function sheetText(xml: string, texts: readonly string[], dates: ReadonlySet<number>): string {
  const lines: string[] = [];
  let row: string[] = [];
  let cell: Cell | null = null;
  let [value, isValue] = ['', false];
  const endCell = () => {
    if (cell === null) return;
    while (row.length < cell.column) row.push('');
    row.push(quoteCell(cellText(cell, value, texts, dates)));
    cell = null;
  };
  for (const token of readXmlTokens(xml)) {
    if (token.type === 'text') {
      if (isValue) value += token.text;
      continue;
    }
    const isOpen = token.type === 'open';
    if (token.name === 'row' && isOpen) row = [];
    else if (token.name === 'row') {
      if (row.some((text) => text !== '')) lines.push(row.join(','));
    } else if (token.name === 'c' && isOpen) {
      const { attributes } = token;
      value = '';
      cell = {
        type: readXmlAttribute(attributes, 't') ?? 'n',
        style: Number(readXmlAttribute(attributes, 's') ?? 0),
        column: columnOf(readXmlAttribute(attributes, 'r')) ?? row.length,
      };
      if (token.isEmpty) endCell();
    } else if (token.name === 'c') endCell();
    else if (token.name === 'v' || token.name === 't') isValue = isOpen && !token.isEmpty;
  }
  return lines.join('\n');
}

function cellText({ type, style }: Cell, value: string, texts: readonly string[], dates: ReadonlySet<number>): string {
  if (type === 's') return texts[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type === 'n' && value !== '' && dates.has(style)) return dateFrom(Number(value));
  return value;
}
