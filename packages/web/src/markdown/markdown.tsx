/**
 * Markdown as React elements. Nothing a model writes becomes HTML: tags are shown as the text they are. Each block runs
 * the way that its own first letter does; code runs from left to right.
 */
import type { Token, Tokens } from 'marked';
import { Fragment, memo, type ReactElement, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { type BlockCut, cutBlocks, type MarkdownBlock } from './blocks.ts';
import { Code } from './code.tsx';
import { directionOf } from './direction.ts';
import { countElements, mostElements } from './elements.ts';
import { Formula } from './formula.tsx';
import { safeAddress } from './links.ts';
import { Picture } from './picture.tsx';
import { Plain } from './plain.tsx';
import { type Slice, type SliceLimit, type Slices, sliceLength, sliceMarkdown, sliceWeight } from './slices.ts';

interface MarkdownProps {
  readonly text: string;
  /** Whether more is to come: then only the last blocks of the last slice are read again. */
  readonly growing?: boolean;
}

// What is read and drawn at once; the rest of a longer text comes when it is asked for.
const atFirst: SliceLimit = { length: 48_000, weight: 2_000 };
// Of a long reply that is still being written, so much of its end is shown.
const tailLength = 4_000;

/**
 * A text in Markdown, slice by slice. A long one is shown from its beginning as far as one task of the page can draw, and
 * the rest on demand; what cannot be read is shown as it is.
 */
export const Markdown = memo(function Markdown({ text, growing = false }: MarkdownProps): ReactElement {
  const before = useRef<Slices | null>(null);
  const [limit, setLimit] = useState(atFirst);
  /** Where the part that was shown at first ends, once all is wanted. */
  const [firstEnd, setFirstEnd] = useState<number | null>(null);
  const slices = useMemo(() => {
    const next = sliceMarkdown(text, limit, before.current);
    before.current = next;
    return next;
  }, [text, limit]);
  const { list, end } = slices;
  const left = slices.text.length - end;
  // All of a long text is drawn piece by piece, each in a task of its own, so that the page answers meanwhile.
  useEffect(() => {
    if (firstEnd === null || left === 0) return;
    const timer = setTimeout(() => {
      const weight = list.reduce((sum, slice) => sum + slice.weight, 0);
      setLimit({ length: end + sliceLength, weight: weight + sliceWeight });
    });
    return () => clearTimeout(timer);
  }, [firstEnd, left, list, end]);
  return (
    <>
      {list.map((slice, index) => (
        <SliceView
          key={slice.at}
          slice={slice}
          growing={growing && left === 0 && index === list.length - 1}
          later={firstEnd !== null && slice.at >= firstEnd}
        />
      ))}
      {left > 0 && growing ? (
        <Plain text={`…${slices.text.slice(Math.max(end, slices.text.length - tailLength))}`} />
      ) : null}
      {left > 0 && firstEnd === null ? (
        <Button small onClick={() => setFirstEnd(end)}>
          {t('showRest', { n: formatNumber(left) })}
        </Button>
      ) : null}
    </>
  );
});

/** A slice; drawn again only while it is still being written. */
const SliceView = memo(function SliceView({
  slice,
  growing,
  later,
}: {
  readonly slice: Slice;
  readonly growing: boolean;
  /** Whether it came on demand: then the browser lays it out when it comes into sight. */
  readonly later: boolean;
}): ReactElement {
  const before = useRef<BlockCut | null>(null);
  const cut = useMemo(() => {
    if (slice.plain) return null;
    const next = cutBlocks(slice.prefix + slice.text, growing ? before.current : null);
    before.current = next;
    return next === null || countElements(next.blocks.map((block) => block.token)) > mostElements ? null : next;
  }, [slice, growing]);
  if (cut === null) return <Plain text={slice.text} />;
  const blocks = cut.blocks.map((block) => <Block key={block.at} block={block} />);
  return later ? <div className="later-slice">{blocks}</div> : <>{blocks}</>;
});

// Compared by what is written: a block whose text did not change is not drawn again while the reply goes on below it.
const Block = memo(
  function Block({ block }: { readonly block: MarkdownBlock }): ReactElement {
    return <>{renderElement(block.token, 0)}</>;
  },
  (a, b) => a.block.raw === b.block.raw,
);

// Deeper than this nobody reads, and each level costs stack.
const deepest = 40;

function renderAll(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  let at = 0;
  return tokens.map((token) => {
    const key = at;
    at += token.raw.length || 1;
    return <Fragment key={key}>{renderElement(token, depth + 1)}</Fragment>;
  });
}

function renderElement(token: Token, depth: number): ReactNode {
  if (depth > deepest) return token.raw;
  switch (token.type) {
    case 'paragraph':
      return <p dir="auto">{renderAll(token.tokens, depth)}</p>;
    case 'text':
      return token.tokens === undefined ? unescapeHtml(String(token.text)) : renderAll(token.tokens, depth);
    case 'escape':
      return String(token.text);
    case 'strong':
      return <strong>{renderAll(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{renderAll(token.tokens, depth)}</em>;
    case 'del':
      return <del>{renderAll(token.tokens, depth)}</del>;
    case 'codespan':
      return <code dir="ltr">{String(token.text)}</code>;
    case 'br':
      return <br />;
    case 'heading':
      return renderHeading(token, depth);
    case 'code':
      return <Code code={String(token.text)} language={languageOf(token.lang)} />;
    case 'blockquote':
      return <blockquote dir={directionOf(token.raw)}>{renderAll(token.tokens, depth)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return isListToken(token) ? renderList(token, depth) : token.raw;
    case 'table':
      return isTableToken(token) ? renderTable(token, depth) : token.raw;
    case 'link':
      return renderLink(token, depth);
    case 'image':
      return <Picture address={String(token.href)} words={String(token.text)} />;
    case 'math':
      return <Formula tex={String(token.tex)} display={token.display === true} />;
    case 'space':
    case 'def':
      return null;
    case 'html':
      return token.block === true ? (
        <p className="as-is" dir="auto">
          {String(token.raw).trimEnd()}
        </p>
      ) : (
        token.raw
      );
    default:
      return token.raw;
  }
}

function isListToken(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token;
}

function isTableToken(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'rows' in token;
}

function languageOf(lang: unknown): string {
  return typeof lang === 'string' ? (/^[\w+#.-]{1,30}/.exec(lang)?.[0] ?? '') : '';
}

// The page has the first two levels of headings for itself.
function renderHeading(token: Token, depth: number): ReactElement {
  const inside = renderAll('tokens' in token ? token.tokens : [], depth);
  const level = 'depth' in token ? Number(token.depth) : 6;
  if (level <= 1) return <h3 dir="auto">{inside}</h3>;
  return level === 2 ? <h4 dir="auto">{inside}</h4> : <h5 dir="auto">{inside}</h5>;
}

function renderList(token: Tokens.List, depth: number): ReactElement {
  let at = 0;
  const items = token.items.map((item) => {
    const key = at;
    at += item.raw.length || 1;
    return (
      <li key={key} className={item.task ? 'task' : undefined}>
        {item.task ? (
          <input
            type="checkbox"
            checked={item.checked === true}
            readOnly
            disabled
            aria-label={item.text.slice(0, 80)}
          />
        ) : null}
        {renderAll(item.tokens, depth)}
      </li>
    );
  });
  const direction = directionOf(token.raw);
  if (!token.ordered) return <ul dir={direction}>{items}</ul>;
  return (
    <ol dir={direction} start={typeof token.start === 'number' ? token.start : 1}>
      {items}
    </ol>
  );
}

const sides = { left: 'to-left', right: 'to-right', center: 'to-center' } as const;

function renderTable(token: Tokens.Table, depth: number): ReactElement {
  const side = (index: number) => {
    const align = token.align[index];
    return align === null || align === undefined ? undefined : sides[align];
  };
  const columns = token.header.map((cell, column) => ({ cell, column }));
  const rows = token.rows.map((cells, row) => ({ row, cells: cells.map((cell, column) => ({ cell, column })) }));
  return (
    <div className="table">
      <table dir={directionOf(token.raw)}>
        <thead>
          <tr>
            {columns.map(({ cell, column }) => (
              <th key={column} className={side(column)} scope="col">
                {renderAll(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, cells }) => (
            <tr key={row}>
              {cells.map(({ cell, column }) => (
                <td key={column} className={side(column)}>
                  {renderAll(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderLink(token: Token, depth: number): ReactNode {
  const address = 'href' in token ? String(token.href) : '';
  const safe = safeAddress(address);
  const inside = renderAll('tokens' in token ? token.tokens : [], depth);
  // What is not followed is shown whole, so that nobody wonders where the words lead.
  if (safe === null)
    return address === '' ? (
      inside
    ) : (
      <span className="unlinked">
        {inside} ({address})
      </span>
    );
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer nofollow" referrerPolicy="no-referrer">
      {inside}
    </a>
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  times: '×',
  rarr: '→',
  larr: '←',
  le: '≤',
  ge: '≥',
  ne: '≠',
  deg: '°',
  euro: '€',
};

function unescapeHtml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi,
    (whole, ten: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = ten === undefined ? Number.parseInt(hex ?? '', 16) : Number(ten);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
