/**
 * Renders Markdown as React elements. No text of a model becomes HTML: tags of a short list become elements without
 * attributes, all others are shown as text. Each block has the direction of its first letter; code is left to right.
 */
import type { Token, Tokens } from 'marked';
import {
  createElement,
  Fragment,
  memo,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatNumber, t } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useScrollable } from '../ui/use-scrollable.ts';
import { type AlertKind, extractAlert } from './alerts.ts';
import {
  type MarkdownBlock,
  nestMarkdownBlocks,
  type SplitMarkdown,
  splitMarkdownIntoBlocks,
  tokenizeInline,
} from './blocks.ts';
import { CodeBlock } from './code.tsx';
import { parseCodeInfo } from './code-names.ts';
import { Diagram } from './diagram.tsx';
import { textDirectionOf } from './direction.ts';
import { countMarkdownElements, maxSliceElements } from './elements.ts';
import { decodeEntities } from './entities.ts';
import { Footnote, FootnoteReference } from './footnote.tsx';
import { type Footnotes, FootnotesContext, numberFootnotes } from './footnotes.ts';
import { FormulaView } from './formula.tsx';
import { nestTags } from './html-tags.ts';
import { toDocumentAddress, toSafeAddress } from './links.ts';
import { MessagePicture } from './picture.tsx';
import { PlainText } from './plain.tsx';
import {
  type MarkdownSlice,
  type SlicedMarkdown,
  type SliceLimit,
  sliceMarkdown,
  targetSliceCharacters,
  targetSliceElements,
} from './slices.ts';
import { mayHaveSourceMarks, SourceMarks } from './source-marks.tsx';

interface MarkdownProps {
  readonly text: string;
  /** Whether more text follows: then only the last blocks of the last slice are parsed again. */
  readonly growing?: boolean;
}

// The part of a long text that is rendered first; the rest is shown on demand.
const atFirst: SliceLimit = { length: 48_000, weight: 2_000 };
// The length of the end of a long streaming reply that is shown.
const tailLength = 4_000;

/**
 * Renders Markdown in slices. The beginning of a long text is shown at once, and the rest on demand, so that rendering
 * does not block the page. What cannot be parsed is shown as text.
 */
export const Markdown = memo(function Markdown({ text, growing = false }: MarkdownProps): ReactElement {
  const before = useRef<SlicedMarkdown | null>(null);
  const [limit, setLimit] = useState(atFirst);
  /** The end of the part that was shown first, once the rest is requested. */
  const [firstEnd, setFirstEnd] = useState<number | null>(null);
  const slices = useMemo(() => {
    const next = sliceMarkdown(text, limit, before.current);
    before.current = next;
    return next;
  }, [text, limit]);
  const { list, end } = slices;
  const left = slices.text.length - end;
  const prefix = useId();
  const footnotes = useMemo(() => {
    const numbers = numberFootnotes(text);
    return numbers === null ? null : { numbers, prefix };
  }, [text, prefix]);
  // The rest of a long text is rendered piece by piece, each in its own task, so that the page stays responsive.
  useEffect(() => {
    if (firstEnd === null || left === 0) return;
    const timer = setTimeout(() => {
      const weight = list.reduce((sum, slice) => sum + slice.weight, 0);
      setLimit({ length: end + targetSliceCharacters, weight: weight + targetSliceElements });
    });
    return () => clearTimeout(timer);
  }, [firstEnd, left, list, end]);
  return (
    <FootnotesContext value={footnotes}>
      {list.map((slice, index) => (
        <SliceView
          key={slice.at}
          slice={slice}
          growing={growing && left === 0 && index === list.length - 1}
          later={firstEnd !== null && slice.at >= firstEnd}
        />
      ))}
      {left > 0 && growing ? (
        <PlainText text={`…${slices.text.slice(Math.max(end, slices.text.length - tailLength))}`} />
      ) : null}
      {left > 0 && firstEnd === null ? (
        <Button small onClick={() => setFirstEnd(end)}>
          {t('showRest', { n: formatNumber(left) })}
        </Button>
      ) : null}
    </FootnotesContext>
  );
});

/** Renders a slice of a text. A complete slice is rendered once, a streaming one with each change. */
const SliceView = memo(function SliceView({
  slice,
  growing,
  later,
}: {
  readonly slice: MarkdownSlice;
  readonly growing: boolean;
  /** Whether the slice was requested later; then the browser lays it out only when it is visible. */
  readonly later: boolean;
}): ReactElement {
  const before = useRef<SplitMarkdown | null>(null);
  const cut = useMemo(() => {
    if (slice.plain) return null;
    const next = splitMarkdownIntoBlocks(slice.prefix + slice.text, growing ? before.current : null);
    before.current = next;
    if (next === null) return null;
    const nested = nestMarkdownBlocks(next.blocks);
    return countMarkdownElements(nested.map((block) => block.token)) > maxSliceElements ? null : nested;
  }, [slice, growing]);
  const footnotes = useContext(FootnotesContext);
  if (cut === null) return <PlainText text={slice.text} />;
  const blocks = moveFootnotesToEnd(cut, footnotes).map((block) => <Block key={block.at} block={block} />);
  return later ? <div className="later-slice">{blocks}</div> : <>{blocks}</>;
});

/** Moves the definitions of footnotes below the text, in the order of their numbers. */
function moveFootnotesToEnd(blocks: readonly MarkdownBlock[], footnotes: Footnotes | null): readonly MarkdownBlock[] {
  if (footnotes === null) return blocks;
  const numberOf = ({ token }: MarkdownBlock) =>
    token.type === 'footnote' ? (footnotes.numbers.get(String(token.label)) ?? 0) : 0;
  const notes = blocks.filter((block) => numberOf(block) > 0).sort((a, b) => numberOf(a) - numberOf(b));
  return notes.length === 0 ? blocks : [...blocks.filter((block) => numberOf(block) === 0), ...notes];
}

// Compared by text: an unchanged block is not rendered again while the reply streams below it.
const Block = memo(
  function Block({ block }: { readonly block: MarkdownBlock }): ReactElement {
    return <>{renderElement(block.token, 0)}</>;
  },
  (a, b) => a.block.raw === b.block.raw,
);

// Deeper levels are not rendered, because each costs stack.
const deepest = 40;

function renderAll(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  let at = 0;
  const placed = tokens.map((token) => {
    const item = { token, at };
    at += token.raw.length || 1;
    return item;
  });
  return nestTags(placed, tokenizeInline).map((item) => (
    <Fragment key={item.at}>{renderElement(item.token, depth + 1)}</Fragment>
  ));
}

function renderText(text: string): ReactNode {
  return mayHaveSourceMarks(text) ? <SourceMarks text={text} /> : text;
}

function renderElement(token: Token, depth: number): ReactNode {
  if (depth > deepest) return token.raw;
  switch (token.type) {
    case 'paragraph':
      return <p dir="auto">{renderAll(token.tokens, depth)}</p>;
    case 'text':
      return token.tokens === undefined
        ? renderText(decodeEntities(String(token.text)))
        : renderAll(token.tokens, depth);
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
      return renderCode(String(token.text), token.lang, token.raw);
    case 'blockquote':
      return renderQuote(token, depth);
    case 'hr':
      return <hr />;
    case 'list':
      return isListToken(token) ? renderList(token, depth) : token.raw;
    case 'table':
      return isTableToken(token) ? renderTable(token, depth) : token.raw;
    case 'link':
      return renderLink(token, depth);
    case 'image':
      return <MessagePicture address={String(token.href)} words={String(token.text)} />;
    case 'math':
      return <FormulaView tex={String(token.tex)} display={token.display === true} />;
    case 'element':
      return renderTag(String(token.name), token, depth);
    case 'footnote':
      return (
        <Footnote label={String(token.label)} raw={token.raw}>
          {renderAll(token.tokens, depth)}
        </Footnote>
      );
    case 'footnote-reference':
      return <FootnoteReference label={String(token.label)} raw={token.raw} />;
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

/** A code block, or its diagram once it is complete. */
function renderCode(code: string, lang: unknown, raw: string): ReactElement {
  const info = parseCodeInfo(lang);
  const complete = /(?:`{3,}|~{3,})\s*$/.test(raw.slice(3));
  if (info.language.toLowerCase() === 'mermaid' && complete) return <Diagram code={code} info={info} />;
  return <CodeBlock code={code} info={info} />;
}

const alertNames = {
  note: 'alertNote',
  tip: 'alertTip',
  important: 'alertImportant',
  warning: 'alertWarning',
  caution: 'alertCaution',
} as const satisfies Record<AlertKind, string>;

function renderQuote(token: Token, depth: number): ReactElement {
  const tokens: readonly Token[] = 'tokens' in token ? (token.tokens ?? []) : [];
  const alert = extractAlert(tokens);
  if (alert === null) return <blockquote dir={textDirectionOf(token.raw)}>{renderAll(tokens, depth)}</blockquote>;
  const warns = alert.kind === 'warning' || alert.kind === 'caution';
  return (
    <div className={warns ? `alert-box ${alert.kind}` : 'alert-box'} dir={textDirectionOf(token.raw)}>
      <p className="alert-name">
        <Icon name={warns ? 'warn' : 'info'} />
        {t(alertNames[alert.kind])}
      </p>
      {renderAll(alert.tokens, depth)}
    </div>
  );
}

const headingTag = /^h([1-6])$/;

/** An element of the short list of tags; its attributes were dropped when parsed. */
function renderTag(name: string, token: Token, depth: number): ReactNode {
  if (name === 'br') return <br />;
  if (name === 'hr') return <hr />;
  const heading = headingTag.exec(name)?.[1];
  const inside = renderAll('tokens' in token ? token.tokens : [], depth);
  if (heading !== undefined) return createElement(headingFor(Number(heading)), { dir: 'auto' }, inside);
  if (name === 'details') return <details open={'open' in token && token.open === true}>{inside}</details>;
  if (name === 'table')
    return (
      <TableBox>
        <table>{inside}</table>
      </TableBox>
    );
  return createElement(name === 'center' ? 'div' : name, null, inside);
}

function TableBox({ children }: { readonly children: ReactNode }): ReactElement {
  const scrolls = useScrollable<HTMLDivElement>();
  return (
    <div className="table" ref={scrolls}>
      {children}
    </div>
  );
}

// The page itself uses the first two heading levels.
function headingFor(level: number): 'h3' | 'h4' | 'h5' | 'h6' {
  return level <= 1 ? 'h3' : level === 2 ? 'h4' : level === 3 ? 'h5' : 'h6';
}

function renderHeading(token: Token, depth: number): ReactElement {
  const inside = renderAll('tokens' in token ? token.tokens : [], depth);
  return createElement(headingFor('depth' in token ? Number(token.depth) : 6), { dir: 'auto' }, inside);
}

/** Returns the tokens of a list item. Texts between blank lines become paragraphs, except the text after a task box. */
function tokensOfItem({ loose, task, tokens }: Tokens.ListItem): readonly Token[] {
  if (!loose) return tokens;
  return tokens.map((token, index) =>
    token.type !== 'text' || (task && index === 0) ? token : { ...token, type: 'paragraph' },
  );
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
        {renderAll(tokensOfItem(item), depth)}
      </li>
    );
  });
  const direction = textDirectionOf(token.raw);
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
    <TableBox>
      <table dir={textDirectionOf(token.raw)}>
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
    </TableBox>
  );
}

function renderLink(token: Token, depth: number): ReactNode {
  const address = 'href' in token ? String(token.href) : '';
  const safe = toDocumentAddress(address) ?? toSafeAddress(address);
  const inside = renderAll('tokens' in token ? token.tokens : [], depth);
  // A URL that is not a link is shown completely, so that readers see where it would lead.
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
