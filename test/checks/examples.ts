/** Finds the fenced code examples of the documentation: their languages, and which are marked as not run. */

/** A fenced code block of a page. */
export interface CodeExample {
  readonly page: string;
  /** The line of the page on which the fence begins, counted from 1. */
  readonly line: number;
  /** The language of the fence; empty for drawings. */
  readonly language: string;
  readonly code: string;
  /** Why the block is not run; null if it is. */
  readonly excuse: string | null;
  /** The lines that are not run, each with the reason. */
  readonly excused: ReadonlyMap<string, string>;
}

// A comment above the fence, invisible to readers: `<!-- not run: why -->` for the whole block, or `<!-- not run: `a
// line`: why -->` for one line.
const mark = /^<!-- not run: (?:`([^`]+)`: )?(.+) -->$/;

/** Returns all fenced code blocks of a page, in order. */
export function findExamples(page: string, text: string): CodeExample[] {
  const found: CodeExample[] = [];
  let excuse: string | null = null;
  let excused = new Map<string, string>();
  let open: { readonly line: number; readonly fence: string; readonly language: string; code: string[] } | null = null;
  for (const [at, line] of text.split('\n').entries()) {
    const [, indent = '', fence, language = ''] = /^( *)(```+|~~~+)\s*(.*)$/.exec(line) ?? [];
    if (open !== null) {
      if (fence !== open.fence) open.code.push(line);
      else {
        found.push({ page, line: open.line, language: open.language, code: open.code.join('\n'), excuse, excused });
        open = null;
        excuse = null;
        excused = new Map();
      }
    } else if (fence !== undefined) open = { line: at + 1, fence, language: `${indent}${language.trim()}`, code: [] };
    else {
      const [, which, why] = mark.exec(line) ?? [];
      if (which !== undefined && why !== undefined) excused.set(which, why);
      else if (why !== undefined) excuse = why;
      else if (line.trim() !== '') {
        excuse = null;
        excused = new Map();
      }
    }
  }
  if (open !== null) throw new Error(`${page}:${open.line} has a fence that nothing closes.`);
  return found;
}

/** A shell line of an example, parsed so that tests can run it. */
export interface ShellLine {
  /** The text without its comment. */
  readonly text: string;
  /** The words of the line, without quotes and with `~` and variables expanded. */
  readonly words: readonly string[];
  /** The input from an `echo` before a pipe. */
  readonly input: string | undefined;
}

/** Returns the shell lines of an example that are run. Throws if a marker names a line that does not exist. */
export function parseShellLines(
  { page, line, code, excused }: CodeExample,
  env: Readonly<Record<string, string>>,
): ShellLine[] {
  const written = code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((each) => each.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((each) => each !== '');
  for (const each of excused.keys())
    if (!written.includes(each)) throw new Error(`${page}:${line} excuses \`${each}\`, which it has not.`);
  return written
    .filter((each) => !excused.has(each))
    .map((text) => {
      const [, said, piped] = /^echo "([^"]*)" \| (.*)$/.exec(text) ?? [];
      const words = [...(piped ?? text).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, double, single, bare]) => single ?? filledIn(double ?? bare?.replace(/^~(?=\/)/, '$HOME') ?? '', env),
      );
      return { text, words, input: said };
    });
}

function filledIn(word: string, env: Readonly<Record<string, string>>): string {
  return word.replaceAll(/\$([A-Z_]+)/g, (_whole, name) => env[name] ?? '');
}

/** Matches code. A block without a language must be a drawing, so code in it is reported. */
const looksLikeCode = /^\s*(?:\$ )?(?:npm|npx|node|git|curl|coppice|import|export|const|await|cd|echo|docker) /m;

/**
 * Returns the problems of the examples on a page: a language that is not run, a missing language although the block is
 * code, or several examples where only one is run. `runs` lists the languages that are run.
 */
export function checkExamples(
  examples: readonly CodeExample[],
  runs: readonly string[],
  once: readonly string[] = [],
): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const { page, line, language, code, excuse } of examples) {
    const where = `${page}:${line}`;
    if (excuse !== null) continue;
    if (language === '') {
      if (looksLikeCode.test(code)) found.push(`${where} is code that does not say what it is written in.`);
    } else if (!runs.includes(language)) found.push(`${where} is ${language}, which no test runs.`);
    else if (once.includes(language) && seen.has(language))
      found.push(`${where} is a second example in ${language}, and only the first is run.`);
    seen.add(language);
  }
  return found;
}
