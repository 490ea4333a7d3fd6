/**
 * TeX as a tree of MathML elements, for the part of it that conversations use. It only ever makes the elements named here,
 * with text inside, so a formula can do no more than a word can; what it does not know it refuses.
 */

import { accents, doubled, greek, large, operators, spaces, styles } from './tex-symbols.ts';

/** An element of MathML. */
export interface MathNode {
  readonly tag:
    | 'mi'
    | 'mn'
    | 'mo'
    | 'mtext'
    | 'mrow'
    | 'mfrac'
    | 'msqrt'
    | 'mroot'
    | 'msub'
    | 'msup'
    | 'msubsup'
    | 'munder'
    | 'mover'
    | 'munderover'
    | 'mtable'
    | 'mtr'
    | 'mtd'
    | 'mspace';
  readonly text?: string;
  readonly inside?: readonly MathNode[];
  readonly attributes?: Readonly<Record<string, string>>;
}

const named: ReadonlySet<string> = new Set(
  'arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh softmax argmax argmin'.split(
    ' ',
  ),
);
const underneath: ReadonlySet<string> = new Set(
  'lim liminf limsup max min sup inf det gcd Pr argmax argmin'.split(' '),
);
const fences: Readonly<Record<string, readonly [string, string]>> = {
  matrix: ['', ''],
  pmatrix: ['(', ')'],
  bmatrix: ['[', ']'],
  vmatrix: ['|', '|'],
  Vmatrix: ['‖', '‖'],
  Bmatrix: ['{', '}'],
  cases: ['{', ''],
  aligned: ['', ''],
  align: ['', ''],
  'align*': ['', ''],
  gathered: ['', ''],
  array: ['', ''],
  smallmatrix: ['', ''],
};

/** What a formula says that is not known here. Caught by {@link toMath}; never leaves it. */
class Unknown extends Error {}

/** Reads TeX; null where it says something that is not known here, or nests deeper than anyone writes. */
export function toMath(tex: string): MathNode | null {
  try {
    const reader = new Reader(tokensOf(tex));
    const row = reader.row(new Set());
    return reader.done ? row : null;
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

const pieces = /\\(?:[a-zA-Z]+\*?|[\s\S])|\d+(?:\.\d+)?|\s+|[\s\S]/gu;

function tokensOf(tex: string): readonly string[] {
  const found = tex.match(pieces) ?? [];
  if (found.length > 4000) throw new Unknown('too long');
  return found;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }

  #peek(): string | undefined {
    while (/^\s+$/.test(this.#tokens[this.#at] ?? '')) this.#at++;
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#peek();
    if (token === undefined) throw new Unknown('ends early');
    this.#at++;
    return token;
  }

  #expect(token: string): void {
    if (this.#next() !== token) throw new Unknown(`wants ${token}`);
  }

  row(ends: ReadonlySet<string>): MathNode {
    if (++this.#depth > 60) throw new Unknown('too deep');
    const inside: MathNode[] = [];
    for (let token = this.#peek(); token !== undefined && !ends.has(token); token = this.#peek())
      inside.push(this.#scripted());
    this.#depth--;
    const only = inside[0];
    return inside.length === 1 && only !== undefined ? only : { tag: 'mrow', inside };
  }

  #scripted(): MathNode {
    const first = this.#peek() ?? '';
    const base: MathNode = first === '^' || first === '_' ? { tag: 'mrow', inside: [] } : this.#atom();
    let below: MathNode | undefined;
    let above: MathNode | undefined;
    for (let token = this.#peek(); token === '^' || token === '_' || token === "'"; token = this.#peek()) {
      this.#at++;
      if (token === "'") above = { tag: 'mo', text: `${above?.text ?? ''}′` };
      else if (token === '^') above = this.#argument();
      else below = this.#argument();
    }
    const name = first.slice(1);
    const stacked = Object.hasOwn(large, name)
      ? !name.endsWith('int')
      : underneath.has(name) || name === 'underbrace' || name === 'overbrace';
    if (below !== undefined && above !== undefined)
      return { tag: stacked ? 'munderover' : 'msubsup', inside: [base, below, above] };
    if (below !== undefined) return { tag: stacked ? 'munder' : 'msub', inside: [base, below] };
    if (above !== undefined) return { tag: stacked ? 'mover' : 'msup', inside: [base, above] };
    return base;
  }

  #argument(): MathNode {
    if (this.#peek() !== '{') return this.#atom();
    this.#at++;
    const inside = this.row(new Set(['}']));
    this.#expect('}');
    return inside;
  }

  #words(): string {
    if (this.#peek() !== '{') return this.#next();
    this.#at++;
    let text = '';
    for (let depth = 1; ; this.#at++) {
      const token = this.#tokens[this.#at];
      if (token === undefined) throw new Unknown('ends early');
      if (token === '{') depth++;
      if (token === '}' && --depth === 0) break;
      text += token.startsWith('\\') && token.length === 2 ? token.slice(1) : token;
    }
    this.#at++;
    return text;
  }

  #atom(): MathNode {
    const token = this.#next();
    if (token === '{') {
      const inside = this.row(new Set(['}']));
      this.#expect('}');
      return inside;
    }
    if (token === '}' || token === '&') throw new Unknown(token);
    if (token.startsWith('\\')) return this.#command(token.slice(1));
    if (/^\d/.test(token)) return { tag: 'mn', text: token };
    if (/^\p{L}$/u.test(token)) return { tag: 'mi', text: token };
    return { tag: 'mo', text: token === '-' ? '−' : token };
  }

  #command(name: string): MathNode {
    const letter = own(greek, name);
    if (letter !== undefined)
      return { tag: 'mi', text: letter, ...(/^[A-Z]/.test(name) ? { attributes: { mathvariant: 'normal' } } : {}) };
    const operator = own(operators, name);
    if (operator !== undefined) return { tag: 'mo', text: operator, attributes: { stretchy: 'false' } };
    const big = own(large, name);
    if (big !== undefined) return { tag: 'mo', text: big, attributes: { largeop: 'true', movablelimits: 'true' } };
    const space = own(spaces, name);
    if (space !== undefined) return { tag: 'mspace', attributes: { width: space } };
    const accent = own(accents, name);
    if (accent !== undefined)
      return { tag: 'mover', inside: [this.#argument(), { tag: 'mo', text: accent }], attributes: { accent: 'true' } };
    const style = own(styles, name);
    if (style !== undefined) return styled(style, this.#words());
    if (named.has(name)) return { tag: 'mi', text: name, attributes: { mathvariant: 'normal' } };
    return this.#structure(name);
  }

  #structure(name: string): MathNode {
    switch (name) {
      case 'frac':
      case 'dfrac':
      case 'tfrac':
        return { tag: 'mfrac', inside: [this.#argument(), this.#argument()] };
      case 'binom':
        return fenced(
          '(',
          { tag: 'mfrac', inside: [this.#argument(), this.#argument()], attributes: { linethickness: '0' } },
          ')',
        );
      case 'sqrt':
        return this.#root();
      case 'text':
      case 'textbf':
      case 'textit':
      case 'textrm':
      case 'mbox':
        return { tag: 'mtext', text: this.#words() };
      case 'left':
        return this.#fence();
      case 'begin':
        return this.#table();
      case 'underbrace':
        return { tag: 'munder', inside: [this.#argument(), { tag: 'mo', text: '⏟' }] };
      case 'overbrace':
        return { tag: 'mover', inside: [this.#argument(), { tag: 'mo', text: '⏞' }] };
      case 'underline':
        return { tag: 'munder', inside: [this.#argument(), { tag: 'mo', text: '_' }] };
      case 'big':
      case 'Big':
      case 'bigg':
      case 'Bigg':
      case 'bigl':
      case 'bigr':
      case 'Bigl':
      case 'Bigr':
        return { tag: 'mo', text: this.#delimiter() };
      case 'displaystyle':
      case 'textstyle':
      case 'limits':
      case 'nolimits':
      case 'nonumber':
        return { tag: 'mrow', inside: [] };
      default:
        throw new Unknown(name);
    }
  }

  #root(): MathNode {
    if (this.#peek() !== '[') return { tag: 'msqrt', inside: [this.#argument()] };
    this.#at++;
    const degree = this.row(new Set([']']));
    this.#expect(']');
    return { tag: 'mroot', inside: [this.#argument(), degree] };
  }

  #delimiter(): string {
    const token = this.#next();
    if (!token.startsWith('\\')) return token === '.' ? '' : token;
    const known = own(operators, token.slice(1));
    if (known === undefined) throw new Unknown(token);
    return known;
  }

  #fence(): MathNode {
    const open = this.#delimiter();
    const inside = this.row(new Set(['\\right']));
    this.#expect('\\right');
    return fenced(open, inside, this.#delimiter());
  }

  #table(): MathNode {
    const name = this.#words();
    const around = own(fences, name);
    if (around === undefined) throw new Unknown(name);
    if (name === 'array') this.#words();
    const rows: MathNode[] = [];
    let cells: MathNode[] = [];
    const ends = new Set(['&', '\\\\', '\\end']);
    for (;;) {
      cells.push({ tag: 'mtd', inside: [this.row(ends)] });
      const end = this.#next();
      if (end === '&') continue;
      rows.push({ tag: 'mtr', inside: cells });
      cells = [];
      if (end === '\\end') break;
    }
    if (this.#words() !== name) throw new Unknown('another end');
    const left = name === 'cases' || name.startsWith('align');
    return fenced(
      around[0],
      { tag: 'mtable', inside: rows, ...(left ? { attributes: { columnalign: 'left' } } : {}) },
      around[1],
    );
  }
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function styled(style: string, words: string): MathNode {
  if (style === 'double-struck')
    return {
      tag: 'mi',
      text: [...words].map((each) => own(doubled, each) ?? each).join(''),
      attributes: { mathvariant: 'normal' },
    };
  return { tag: 'mi', text: words, attributes: { mathvariant: 'normal', class: `math-${style}` } };
}

function fenced(open: string, inside: MathNode, close: string): MathNode {
  const row: MathNode[] = [];
  if (open !== '') row.push({ tag: 'mo', text: open, attributes: { fence: 'true', stretchy: 'true' } });
  row.push(inside);
  if (close !== '') row.push({ tag: 'mo', text: close, attributes: { fence: 'true', stretchy: 'true' } });
  return { tag: 'mrow', inside: row };
}
