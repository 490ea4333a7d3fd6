/**
 * The few HTML tags that replies use within Markdown, as elements. Tags are parsed to tokens with a name of this
 * list; every attribute except `open` is dropped, and any other tag stays text.
 */
import type { Token } from 'marked';

const voidTags: ReadonlySet<string> = new Set(['br', 'hr']);

const pairedTags: ReadonlySet<string> = new Set([
  ...[
    'b',
    'strong',
    'i',
    'em',
    'u',
    's',
    'del',
    'ins',
    'mark',
    'small',
    'sub',
    'sup',
    'kbd',
    'code',
    'samp',
    'var',
    'q',
  ],
  ...['cite', 'dfn', 'p', 'div', 'span', 'center', 'blockquote', 'pre', 'details', 'summary', 'ul', 'ol', 'li'],
  ...['table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);

// Tags that authors often do not close. A streaming reply has not closed its `details` yet.
const oftenUnclosed: ReadonlySet<string> = new Set([
  ...['p', 'li', 'tr', 'th', 'td', 'thead', 'tbody', 'tfoot', 'details', 'table', 'ul', 'ol', 'div'],
]);

// Deeper nesting is not intentional, and each level costs stack when rendered.
const deepest = 20;

const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:[\s/][^<>]*)?)>/g;

/** A token with its offset in the text. */
export interface TokenWithOffset {
  readonly token: Token;
  readonly at: number;
}

interface OpenElement {
  readonly name: string;
  readonly open: boolean;
  readonly raw: string;
  readonly at: number;
  readonly children: TokenWithOffset[];
}

type Piece =
  | { readonly kind: 'token'; readonly token: Token; readonly at: number }
  | {
      readonly kind: 'open' | 'close' | 'void';
      readonly name: string;
      readonly raw: string;
      readonly open: boolean;
      readonly at: number;
    };

/** Splits an HTML token into known tags and the text between them. */
function piecesOf(token: Token, at: number, tokenizeInline: (text: string) => readonly Token[]): readonly Piece[] {
  const pieces: Piece[] = [];
  const { raw } = token;
  const addText = (from: number, to: number) => {
    const text = raw.slice(from, to);
    if (text.trim() === '') return;
    const inside = [...tokenizeInline(text)];
    pieces.push({ kind: 'token', token: { type: 'text', raw: text, text, tokens: inside }, at: at + from });
  };
  let end = 0;
  for (const match of raw.matchAll(tag)) {
    const [whole, slash = '', written = '', attributes = ''] = match;
    const name = written.toLowerCase();
    const isVoid = voidTags.has(name);
    if (!isVoid && !pairedTags.has(name)) continue;
    addText(end, match.index);
    const kind = isVoid ? 'void' : slash === '' ? 'open' : 'close';
    pieces.push({ kind, name, raw: whole, open: /(?:^|\s)open(?:\s|=|$)/i.test(attributes), at: at + match.index });
    end = match.index + whole.length;
  }
  // No known tag: it stays an HTML token that is shown as text.
  if (end === 0) return [{ kind: 'token', token, at }];
  addText(end, raw.length);
  return pieces;
}

function literalToken(text: string, at: number): TokenWithOffset {
  return { token: { type: 'text', raw: text, text }, at };
}

function toElement(element: OpenElement, closing: string): TokenWithOffset {
  const { name, open, raw, at, children } = element;
  const inside = children.map((child) => child.token);
  const whole = raw + inside.map((child) => child.raw).join('') + closing;
  return { token: { type: 'element', raw: whole, name, open, tokens: inside }, at };
}

/**
 * Groups the content between an opening and a closing tag into one element. A tag that is never closed stays text,
 * except for those that authors leave open.
 */
export function nestTags(
  items: readonly TokenWithOffset[],
  tokenizeInline: (text: string) => readonly Token[],
): readonly TokenWithOffset[] {
  if (!items.some(({ token }) => token.type === 'html')) return items;
  const top: TokenWithOffset[] = [];
  const stack: OpenElement[] = [];
  const add = (item: TokenWithOffset) => (stack.at(-1)?.children ?? top).push(item);
  const leave = () => {
    const last = stack.pop();
    if (last === undefined) return;
    if (oftenUnclosed.has(last.name)) add(toElement(last, ''));
    else for (const item of [literalToken(last.raw, last.at), ...last.children]) add(item);
  };
  for (const { token, at } of items) {
    const pieces =
      token.type === 'html' ? piecesOf(token, at, tokenizeInline) : [{ kind: 'token', token, at } as const];
    for (const piece of pieces) {
      if (piece.kind === 'token') add(piece);
      else if (piece.kind === 'void')
        add({ token: { type: 'element', raw: piece.raw, name: piece.name, open: false, tokens: [] }, at: piece.at });
      else if (piece.kind === 'open') {
        if (stack.length < deepest) stack.push({ ...piece, children: [] });
        else add(literalToken(piece.raw, piece.at));
      } else if (stack.some((element) => element.name === piece.name)) {
        while (stack.at(-1)?.name !== piece.name) leave();
        const closed = stack.pop();
        if (closed !== undefined) add(toElement(closed, piece.raw));
      } else add(literalToken(piece.raw, piece.at));
    }
  }
  while (stack.length > 0) leave();
  return top;
}
