/** Code in weights of ink: what a word is, without a grammar for each language. Hue keeps its meaning elsewhere. */

/** How a piece of code is set: keyword, string, comment, or as it is. */
export type Ink = 'k' | 's' | 'c' | null;
/** A piece of code and its ink. */
export interface InkPart {
  readonly at: number;
  readonly text: string;
  readonly ink: Ink;
}

const words: Readonly<Record<string, string>> = {
  script:
    'abstract as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in instanceof interface is keyof let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
  python:
    'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  sql: 'add all alter and as asc begin between by case cast check column commit constraint create cross default delete desc distinct drop else end exists explain false foreign from full group having if in index inner insert intersect into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true truncate union unique update using values view when where with',
  shell:
    'case cd do done echo elif else esac eval exec exit export fi for function if in local return set shift source then trap unset until while',
  c: 'alignas and auto bool break case catch char class co_await const constexpr continue decltype default defer delete do double dyn else enum explicit export extends extern false final finally float fn for friend func fun go goto if impl implements import in inline int interface internal is let long loop map match mod module move mut mutable namespace new nil not null nullptr object open operator or override package private protected pub public range ref return rune select self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile where while yield',
  plain: '',
};

const families: ReadonlyMap<string, string> = new Map(
  Object.entries({
    script: 'js jsx ts tsx javascript typescript mjs cjs vue svelte json json5 jsonc',
    python: 'py python py3 ipython pyi',
    sql: 'sql postgres postgresql psql mysql sqlite plpgsql',
    shell: 'sh bash zsh shell console fish dockerfile makefile yaml yml toml ini',
    c: 'c h cpp c++ cc cs csharp java kotlin kt go golang rust rs swift scala dart php zig ruby rb lua perl r',
    plain: 'text txt plain plaintext md markdown diff patch log output csv',
  }).flatMap(([family, names]) => names.split(' ').map((name): [string, string] => [name, family])),
);

const comments: Readonly<Record<string, string>> = {
  script: '//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)',
  python: '#[^\\n]*',
  sql: '--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)',
  shell: '(?<![\\w$])#[^\\n]*',
  c: '//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)',
  plain: '(?!)',
};

interface Grammar {
  readonly pattern: RegExp;
  readonly words: ReadonlySet<string>;
  readonly anyCase: boolean;
}

const grammars = new Map<string, Grammar>();

function grammarOf(language: string): Grammar {
  const family = families.get(language.toLowerCase()) ?? 'c';
  const known = grammars.get(family);
  if (known !== undefined) return known;
  const strings = `"(?:\\\\.|[^"\\\\\\n]){0,4000}"|'(?:\\\\.|[^'\\\\\\n]){0,4000}'|\`(?:\\\\.|[^\`\\\\]){0,4000}\``;
  const grammar: Grammar = {
    pattern: new RegExp(
      `(?<c>${comments[family] ?? '(?!)'})|(?<s>${family === 'plain' ? '(?!)' : strings})|(?<w>[A-Za-z_$][\\w$]{0,63})`,
      'g',
    ),
    words: new Set((words[family] ?? '').split(' ')),
    anyCase: family === 'sql',
  };
  grammars.set(family, grammar);
  return grammar;
}

/** Above this many characters code is shown in one ink. */
const inkLimit = 60_000;

/** Cuts code into pieces by ink; joined they are the code. An unknown language is read as one of the common kind. */
export function inkOf(code: string, language: string): readonly InkPart[] {
  if (language === '' || code.length > inkLimit) return [{ at: 0, text: code, ink: null }];
  const grammar = grammarOf(language);
  const parts: InkPart[] = [];
  let done = 0;
  for (const match of code.matchAll(grammar.pattern)) {
    const word = match.groups?.w;
    const known = word !== undefined && grammar.words.has(grammar.anyCase ? word.toLowerCase() : word);
    const ink: Ink = match.groups?.c !== undefined ? 'c' : match.groups?.s !== undefined ? 's' : known ? 'k' : null;
    if (ink === null) continue;
    if (match.index > done) parts.push({ at: done, text: code.slice(done, match.index), ink: null });
    parts.push({ at: match.index, text: match[0], ink });
    done = match.index + match[0].length;
  }
  if (done < code.length) parts.push({ at: done, text: code.slice(done), ink: null });
  return parts;
}
