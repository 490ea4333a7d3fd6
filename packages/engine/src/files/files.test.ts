import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  makeSampleDocx,
  makeSampleOdt,
  makeSamplePdf,
  makeSamplePptx,
  makeSampleXlsx,
} from '../testing/sample-files.ts';
import { extractText, maxFileTextLength } from './extract-text.ts';
import { createFileTextExtractor } from './file-text-extractor.ts';

describe('the text of a file', () => {
  test('[M70] of a PDF is read page by page', async () => {
    expect(await extractText(makeSamplePdf('The first page', 'And (the) second'))).toBe(
      '[Page 1]\nThe first page\n\n[Page 2]\nAnd (the) second',
    );
    expect(await extractText(makeSamplePdf(''))).toBeNull();
  });

  test('[M70] of a Word file has headings, lists, tables, breaks and no deleted words', async () => {
    const docx = makeSampleDocx(
      '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Plan &amp; costs</w:t></w:r></w:p>' +
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>Oak</w:t><w:br/><w:t>old</w:t></w:r></w:p>' +
        '<w:del><w:r><w:t>gone</w:t></w:r></w:del>' +
        '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    );
    expect(await extractText(docx)).toBe('# Plan & costs\n- Oak\nold\na | b |');
  });

  test('[M70] of a spreadsheet has its sheets as comma-separated lines, and dates as dates', async () => {
    expect(await extractText(makeSampleXlsx())).toBe('## Costs & more\n\nItem,,When\n"Oak, old",12.5,2025-01-01');
  });

  test('[M70] of slides and OpenDocument files is read, and other bytes have none', async () => {
    expect(await extractText(makeSamplePptx('Hello', 'Again'))).toBe('## Slide 1\n\nHello\n\n## Slide 2\n\nAgain');
    expect(await extractText(makeSampleOdt())).toBe('## Title\nOne\ttwo');
    expect(await extractText(Buffer.from('fn main() {}'))).toBe('fn main() {}');
    expect(await extractText(Buffer.from([0xff, 0xfe, 0x41, 0]))).toBe('A');
    expect(await extractText(Buffer.from([1, 2, 0, 3]))).toBeNull();
    expect(await extractText(Buffer.from(zipSync({ 'other.bin': new Uint8Array(3) })))).toBeNull();
  });

  test('[M70] that is too long for a model is cut, and the cut is marked', async () => {
    const text = await extractText(Buffer.from('x'.repeat(maxFileTextLength + 5)));
    expect(text).toContain('[The rest of this file was left out: 5 of ');
  });

  test('[M71] is extracted in a separate process, once per file; a crash, a timeout or too large a file gives none', async () => {
    const texts = createFileTextExtractor();
    const pdf = makeSamplePdf('Beside');
    const [one, two] = await Promise.all([texts.textOf('a', pdf), texts.textOf('a', pdf)]);
    expect([one, two]).toEqual(['[Page 1]\nBeside', '[Page 1]\nBeside']);
    expect(await texts.textOf('b', Buffer.from('%PDF-1.4 and then nothing'))).toBeNull();
    expect(await texts.textOf('c', Buffer.concat([makeSampleDocx('').subarray(0, 60), Buffer.alloc(40)]))).toBeNull();
    expect(await createFileTextExtractor({ timeMs: 1 }).textOf('d', pdf)).toBeNull();
    // A ZIP bomb: one part that unpacks to more than is allowed.
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(65 * 1024 * 1024) }, { level: 9 });
    expect(await texts.textOf('e', bomb)).toBeNull();
  });
});
