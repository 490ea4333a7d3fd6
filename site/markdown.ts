/** Renders documents as HTML: headings with anchors, coloured code, and links to pages of the site. */

import bash from 'highlight.js/lib/languages/bash';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { Marked, type Tokens } from 'marked';
import { anchorOf, escapeHtml } from './html.ts';

const lowlight = createLowlight({ bash, ini, json, nginx, sql, typescript, xml, yaml });
lowlight.registerAlias({
  bash: ['sh', 'shell'],
  ini: ['toml'],
  json: ['jsonl'],
  typescript: ['ts', 'js', 'tsx', 'jsx', 'javascript'],
  xml: ['html'],
  yaml: ['yml'],
});

interface Coloured {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Coloured[];
}

function drawColoured(node: Coloured): string {
  if (node.type === 'text') return escapeHtml(node.value ?? '');
  const inner = (node.children ?? []).map(drawColoured).join('');
  const names = node.properties?.className;
  return Array.isArray(names) ? `<span class="${escapeHtml(names.join(' '))}">${inner}</span>` : inner;
}

/** Colours code as HTML. Code in an unknown language stays plain. */
export function colourCode(code: string, language: string): string {
  if (!lowlight.registered(language)) return escapeHtml(code);
  return lowlight
    .highlight(language, code)
    .children.map((node) => drawColoured(node))
    .join('');
}

export interface PageHeading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly summary: string;
  readonly headings: readonly PageHeading[];
}

/** Returns the plain text of a line of Markdown. */
function plainText(markdown: string): string {
  return (
    markdown
      .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
      .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      // Angle brackets inside code, such as `models.<provider>`, are not tags.
      .replaceAll(/(`[^`]*`)|<[^>]+>/g, (_whole, code: string | undefined) => code ?? '')
      .replaceAll(/[`*]/g, '')
      .trim()
  );
}

/** Renders a document. `linkTo` and `imageAt` convert its addresses to those of the site. */
export function renderMarkdown(
  text: string,
  addresses: { readonly linkTo: (href: string) => string; readonly imageAt: (href: string) => string },
): RenderedPage {
  const headings: PageHeading[] = [];
  let summary = '';
  const seen = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(token: Tokens.Heading): string {
        const inner = this.parser.parseInline(token.tokens);
        const name = plainText(token.text);
        const plain = anchorOf(name);
        const count = seen.get(plain) ?? 0;
        seen.set(plain, count + 1);
        const anchor = count === 0 ? plain : `${plain}-${count}`;
        headings.push({ level: token.depth, text: name, anchor });
        const link = `<a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to this section">#</a>`;
        return `<h${token.depth} id="${escapeHtml(anchor)}">${inner}${token.depth === 1 ? '' : link}</h${token.depth}>\n`;
      },
      paragraph(token: Tokens.Paragraph): string {
        const words = plainText(token.text).replaceAll(/\s+/g, ' ');
        if (summary === '' && words !== '') summary = words;
        return `<p>${this.parser.parseInline(token.tokens)}</p>\n`;
      },
      code(token: Tokens.Code): string {
        const [language = ''] = (token.lang ?? '').split(/\s/);
        const look = language === '' || language === 'text' ? ' class="drawing"' : '';
        return `<pre${look} tabindex="0"><code>${colourCode(token.text, language)}</code></pre>\n`;
      },
      link(token: Tokens.Link): string {
        const inner = this.parser.parseInline(token.tokens);
        return `<a href="${escapeHtml(addresses.linkTo(token.href))}">${inner}</a>`;
      },
      image(token: Tokens.Image): string {
        const at = escapeHtml(addresses.imageAt(token.href));
        return `<img src="${at}" alt="${escapeHtml(token.text)}" loading="lazy">`;
      },
      table(token: Tokens.Table): string {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      // Comments are meant for tests and for the guide. Our documents contain no other HTML.
      html: (token: Tokens.HTML | Tokens.Tag): string => (/^\s*<!--/.test(token.text) ? '' : escapeHtml(token.text)),
    },
  });
  const html = marked.parse(text, { async: false });
  return { html, title: headings[0]?.text ?? '', summary, headings };
}
