/** Renders the Markdown of a reply that grows. A part that further text cannot change is rendered once. */
import { stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { measureFinishedMarkdown, renderMarkdownLines } from './markdown.ts';

// A shorter text is rendered as a whole.
const shortText = 2_000;
/** How many lines of a code block that is still open are rendered at once, and how many stay to be rendered again. */
const codeStep = 50;

/** The lines of a growing text. Keeps finished lines, so that a new piece does not render a long code block again. */
export class GrowingMarkdown {
  #width = 0;
  /** The beginning of the text that is rendered, and its lines. */
  #known = '';
  #lines: string[] = [];
  /** The first line of the code block in which the known text ends; empty if it ends with a whole block. */
  #fence = '';
  /** The length of the text when its finished blocks were last measured. */
  #measured = 0;

  /** Returns the lines of a text, like {@link renderMarkdownLines}. */
  render(text: string, width: number, style: TextStyles): string[] {
    const clean = stripControlSequences(text);
    if (width !== this.#width || !clean.startsWith(this.#known)) this.#reset();
    this.#width = width;
    while (this.#advance(clean, width, style));
    return this.#joined(this.#linesAfter(clean.slice(this.#known.length), width, style));
  }

  #reset(): void {
    this.#known = '';
    this.#lines = [];
    this.#fence = '';
    this.#measured = 0;
  }

  /** Renders the next finished part. Returns false if no part is finished. */
  #advance(text: string, width: number, style: TextStyles): boolean {
    const rest = text.slice(this.#known.length);
    if (rest.length < shortText) return false;
    if (this.#fence !== '') return this.#advanceCode(rest, width, style);
    // The time of measuring grows with the text, so the rest is measured again only after it has grown by 2 %.
    if (text.length - this.#measured < rest.length / 50) return false;
    this.#measured = text.length;
    const length = measureFinishedMarkdown(rest);
    if (length > 0) {
      this.#add(rest.slice(0, length), renderMarkdownLines(rest.slice(0, length), width, style));
      return true;
    }
    const [before = '', blank = '', fence = ''] = /^((?:[ \t]*\n)*)( {0,3}(?:`{3,}|~{3,})[^\n]*\n)/.exec(rest) ?? [];
    if (before === '' || findFenceEnd(rest.slice(before.length), fence) !== null) return false;
    const opened = renderMarkdownLines(`${fence}x`, width, style);
    if (this.#lines.length > 0) this.#lines.push('');
    this.#lines.push(...opened.slice(0, -1));
    this.#known += blank + fence;
    this.#fence = fence;
    return true;
  }

  #advanceCode(rest: string, width: number, style: TextStyles): boolean {
    const end = findFenceEnd(rest, this.#fence);
    if (end !== null) {
      const lines = this.#linesAfter(rest.slice(0, end), width, style);
      this.#known += rest.slice(0, end);
      this.#lines.push(...lines);
      this.#fence = '';
      this.#measured = 0;
      return true;
    }
    const lines = rest.split('\n');
    if (lines.length <= 2 * codeStep) return false;
    const part = `${lines.slice(0, codeStep).join('\n')}\n`;
    const rendered = this.#linesAfter(part, width, style);
    this.#known += part;
    this.#lines.push(...rendered);
    return true;
  }

  #add(text: string, lines: readonly string[]): void {
    this.#lines = this.#joined(lines);
    this.#known += text;
  }

  /**
   * Returns the lines of the text after the known text. If that text is inside a code block, its heading is left out,
   * because it is already shown.
   */
  #linesAfter(text: string, width: number, style: TextStyles): string[] {
    if (this.#fence === '') return renderMarkdownLines(text, width, style);
    if (text === '') return [];
    return renderMarkdownLines(`${this.#fence}${text}`, width, style).slice(headingLines(this.#fence, width, style));
  }

  #joined(lines: readonly string[]): string[] {
    const apart = this.#fence === '' && this.#lines.length > 0 && lines.length > 0;
    return apart ? [...this.#lines, '', ...lines] : [...this.#lines, ...lines];
  }
}

/** Returns how many lines name the language of a code block. */
function headingLines(fence: string, width: number, style: TextStyles): number {
  return renderMarkdownLines(`${fence}x`, width, style).length - 1;
}

/** Returns where the line that ends a code block ends; null if the block is open, or the line may still grow. */
function findFenceEnd(text: string, fence: string): number | null {
  const [marks = ''] = /[`~]+/.exec(fence) ?? [];
  const mark = marks.charAt(0);
  const found = new RegExp(`^ {0,3}${mark}{${marks.length},}[ \\t]*\\n`, 'm').exec(text);
  return found === null ? null : found.index + found[0].length;
}
