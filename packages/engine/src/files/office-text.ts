/** Extracts the text of office files (DOCX, XLSX, PPTX and OpenDocument), which are ZIP archives with XML. */
import { strFromU8, unzipSync } from 'fflate';
import { readWorkbookText } from './workbook-text.ts';
import { readXmlAttribute, readXmlTokens } from './xml-tokens.ts';

const wanted =
  /^(?:mimetype|content\.xml|word\/(?:document|footnotes|endnotes)\.xml|xl\/(?:workbook|sharedStrings|styles)\.xml|xl\/_rels\/workbook\.xml\.rels|xl\/worksheets\/[^/]+\.xml|ppt\/slides\/slide\d+\.xml)$/;
const mostPartBytes = 64 * 1024 * 1024;
const mostBytes = 128 * 1024 * 1024;

/**
 * Returns the text of an office file; null if the archive is of another kind. Throws if it is damaged or too large when
 * unpacked.
 */
export function extractOfficeText(bytes: Uint8Array): string | null {
  let total = 0;
  const parts = unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (!wanted.test(name)) return false;
      total += originalSize;
      if (originalSize > mostPartBytes || total > mostBytes) throw new Error('The file unpacks to too much text.');
      return true;
    },
  });
  const part = (name: string): string | null => {
    const found = parts[name];
    return found === undefined ? null : strFromU8(found);
  };
  const document = part('word/document.xml');
  if (document !== null) {
    const notes = [part('word/footnotes.xml'), part('word/endnotes.xml')].flatMap((xml) =>
      xml === null ? [] : wordText(xml),
    );
    return [wordText(document), ...notes].filter((text) => text !== '').join('\n\n');
  }
  if (part('xl/workbook.xml') !== null) return readWorkbookText(part);
  const slides = Object.keys(parts).filter((name) => name.startsWith('ppt/slides/'));
  if (slides.length > 0) return slidesText(slides, part);
  const content = part('content.xml');
  return content === null ? null : openDocumentText(content);
}

/** Removes spaces at line ends and repeated blank lines. */
function removeExtraBlanks(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function wordText(xml: string): string {
  let text = '';
  let isText = false;
  let cells = 0;
  let prefix = '';
  let deleted = 0;
  const add = (more: string) => {
    text += prefix + more;
    prefix = '';
  };
  for (const token of readXmlTokens(xml)) {
    if (token.type === 'text') {
      if (isText && deleted === 0) add(token.text);
      continue;
    }
    const isOpen = token.type === 'open';
    switch (token.name) {
      case 'w:t':
        isText = isOpen && !token.isEmpty;
        break;
      case 'w:del':
        if (!isOpen || !token.isEmpty) deleted += isOpen ? 1 : -1;
        break;
      case 'w:pStyle': {
        const level = isOpen
          ? /heading\s*([1-6])/i.exec(readXmlAttribute(token.attributes, 'w:val') ?? '')?.[1]
          : undefined;
        if (level !== undefined) prefix = `${'#'.repeat(Number(level))} `;
        break;
      }
      case 'w:numPr':
        if (isOpen && prefix === '') prefix = '- ';
        break;
      case 'w:tab':
        // The same tag also defines the tab stops of a paragraph, with `w:val`.
        if (isOpen && readXmlAttribute(token.attributes, 'w:val') === null) add('\t');
        break;
      case 'w:br':
      case 'w:cr':
        if (isOpen) text += '\n';
        break;
      case 'w:tc':
        if (!isOpen) text = `${text.trimEnd()} | `;
        cells += isOpen ? 1 : -1;
        break;
      case 'w:tr':
        if (!isOpen) text += '\n';
        break;
      case 'w:p':
        if (!isOpen || token.isEmpty) {
          prefix = '';
          text += cells > 0 ? ' ' : '\n';
        }
        break;
      default:
    }
  }
  return removeExtraBlanks(text);
}

function slidesText(names: readonly string[], part: (name: string) => string | null): string {
  const numberOf = (name: string) => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0);
  const slides = [...names].sort((a, b) => numberOf(a) - numberOf(b));
  return slides
    .map((name, index) => {
      let text = '';
      let isText = false;
      for (const token of readXmlTokens(part(name) ?? '')) {
        if (token.type === 'text') {
          if (isText) text += token.text;
        } else if (token.name === 'a:t') isText = token.type === 'open' && !token.isEmpty;
        else if (token.name === 'a:p' && token.type === 'close') text += '\n';
      }
      return `## Slide ${index + 1}\n\n${removeExtraBlanks(text)}`;
    })
    .join('\n\n');
}

function openDocumentText(xml: string): string {
  let text = '';
  let inParagraph = 0;
  let cells = 0;
  for (const token of readXmlTokens(xml)) {
    if (token.type === 'text') {
      if (inParagraph > 0) text += token.text;
      continue;
    }
    const isOpen = token.type === 'open';
    const { name } = token;
    if (name === 'text:p' || name === 'text:h') {
      if (isOpen && name === 'text:h')
        text += `${'#'.repeat(Math.min(6, Number(readXmlAttribute(token.attributes, 'text:outline-level') ?? 1)))} `;
      if (isOpen && !token.isEmpty) inParagraph++;
      else {
        if (!isOpen) inParagraph--;
        text += cells > 0 ? ' ' : '\n';
      }
    } else if (name === 'text:tab' && isOpen) text += '\t';
    else if (name === 'text:line-break' && isOpen) text += '\n';
    else if (name === 'text:s' && isOpen) text += ' ';
    else if (name === 'table:table' && isOpen)
      text += `\n## ${readXmlAttribute(token.attributes, 'table:name') ?? ''}\n`;
    else if (name === 'table:table-cell') {
      if (isOpen && !token.isEmpty) cells++;
      else {
        if (!isOpen) cells--;
        text = `${text.trimEnd()}\t`;
      }
    } else if (name === 'table:table-row' && !isOpen) text = `${text.trimEnd()}\n`;
  }
  return removeExtraBlanks(text);
}
