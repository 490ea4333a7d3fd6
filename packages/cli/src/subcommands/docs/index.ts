import { AppError } from '@coppice/core';
import { findDocumentSection, listInstalledDocuments, readDocument } from '../../documents.ts';
import { defineSubcommand } from '../contract.ts';

export const docs = defineSubcommand({
  name: 'docs',
  summary: 'read the documentation, without a network',
  worksOn: 'this-computer',
  group: 'Read',
  paged: true,
  arguments: [
    {
      name: 'document',
      summary: 'document, or document#section; without it, a list',
      optional: true,
      completes: 'document',
    },
  ],
  options: [{ name: 'path', summary: 'print the path of the file instead' }],
  examples: ['coppice docs', 'coppice docs models#budgets', 'coppice docs getting-started --path'],
  async run(given, at) {
    const { output } = at;
    const all = listInstalledDocuments();
    const [wanted, anchor] = given.optional('document')?.split('#') ?? [];
    if (wanted === undefined) {
      const shown = all.filter(({ name }) => !name.startsWith('decisions/'));
      const width = Math.max(...shown.map(({ name }) => name.length));
      return {
        data: { documents: shown },
        lines: shown.map(({ name, title, path }) =>
          given.flag('path') ? path : `${name.padEnd(width)}  ${output.style.quiet(title)}`,
        ),
      };
    }
    const name = wanted.replace(/^docs\/|\.md$/g, '').toLowerCase();
    const found = all.find((document) => document.name === name);
    if (found === undefined) throw notFound(`There is no document ${wanted}. coppice docs lists them.`);
    if (given.flag('path')) return { data: found, lines: [found.path] };
    const whole = readDocument(found);
    const text = anchor === undefined || anchor === '' ? whole : findDocumentSection(whole, anchor);
    if (text === null)
      throw notFound(`${found.title} has no section ${anchor}. Read the whole document with coppice docs ${name}.`);
    const { screen, style } = output;
    // Rendered only on a terminal: a pipe gets the Markdown source.
    const lines =
      screen === null
        ? [text]
        : (await import('../../chat/markdown.ts')).renderMarkdownLines(text, screen, style, { isCopied: true });
    return { data: { ...found, text }, lines };
  },
});

function notFound(message: string): AppError {
  return new AppError({ code: 'cli/no-document', kind: 'not-found', message });
}
