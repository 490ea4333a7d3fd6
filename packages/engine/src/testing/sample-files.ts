/** Builds small office files and PDFs for tests. */
import { strToU8, zipSync } from 'fflate';

/** Builds a PDF with one page per text. */
export function makeSamplePdf(...pages: readonly string[]): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [index, text] of pages.entries()) {
    const content = `BT /F1 18 Tf 40 100 Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [index, body] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function zip(parts: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))));
}

/** Builds a Word file with this XML as the body of its document. */
export function makeSampleDocx(body: string): Buffer {
  return zip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
  });
}

/** Builds an Excel file with one sheet: a text, a number, a date, and a text with a comma. */
export function makeSampleXlsx(): Buffer {
  return zip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Costs &amp; more" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/sharedStrings.xml': '<sst><si><t>Item</t></si><si><r><t>Oak, </t></r><r><t>old</t></r></si></sst>',
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>When</t></is></c></row>' +
      '<row><c r="A2" t="s"><v>1</v></c><c r="B2"><v>12.5</v></c><c r="C2" s="1"><v>45658</v></c></row></sheetData></worksheet>',
  });
}

/** Builds a presentation with one text per slide. */
export function makeSamplePptx(...slides: readonly string[]): Buffer {
  return zip(
    Object.fromEntries(
      slides.map((text, index) => [
        `ppt/slides/slide${index + 1}.xml`,
        `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`,
      ]),
    ),
  );
}

export function makeSampleOdt(): Buffer {
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml':
      '<office:text><text:h text:outline-level="2">Title</text:h><text:p>One<text:tab/>two</text:p></office:text>',
  });
}
