/** Prepares TeX of ordinary replies for the rendering library. */
import type { Options } from 'temml';

const operators = [
  ...['trace', 'diag', 'sign', 'Var', 'Cov', 'Corr', 'softmax', 'ReLU', 'lcm', 'supp', 'im', 'span', 'rank', 'argsort'],
  ...['sigmoid', 'KL', 'MSE', 'proj', 'vol', 'Hom', 'Aut', 'End', 'Gal', 'Spec', 'ord', 'card', 'adj', 'atan2', 'sinc'],
];

// Commands of packages that replies use like standard TeX.
const macros: Readonly<Record<string, string>> = {
  ...Object.fromEntries(operators.map((name) => [`\\${name}`, `\\operatorname{${name}}`])),
  '\\mbox': '\\text{#1}',
  '\\mspace': '\\hspace{0.2em}',
  '\\mathds': '\\mathbb{#1}',
  '\\mathbbm': '\\mathbb{#1}',
  '\\SI': '#1\\,\\mathrm{#2}',
  '\\si': '\\mathrm{#1}',
  '\\unit': '\\mathrm{#1}',
  '\\num': '#1',
  '\\textdegree': '^\\circ',
  '\\textrightarrow': '\\rightarrow',
  '\\textsuperscript': '^{\\text{#1}}',
  '\\textsubscript': '_{\\text{#1}}',
  '\\E': '\\mathbb{E}',
  '\\Q': '\\mathbb{Q}',
  '\\C': '\\mathbb{C}',
  '\\d': '\\mathrm{d}',
  '\\given': '\\mid',
  '\\indep': '\\perp\\!\\!\\!\\perp',
  '\\iid': '\\overset{\\text{iid}}{\\sim}',
  '\\hdots': '\\ldots',
  '\\transpose': '^{\\mathsf{T}}',
  '\\hfill': '\\quad',
};

const environments: ReadonlyMap<string, string> = new Map([
  ['eqnarray', 'align'],
  ['eqnarray*', 'align*'],
  ['flalign', 'align'],
  ['flalign*', 'align*'],
  ['displaymath', 'gathered'],
  ['math', 'gathered'],
  ['dmath', 'gathered'],
  ['dmath*', 'gathered'],
  ['subequations', 'gathered'],
  ['tabular', 'array'],
]);

function renameEnvironments(tex: string): string {
  return tex.replace(/\\(begin|end)\s*\{([a-z]+\*?)\}/g, (whole, word: string, name: string) => {
    const known = environments.get(name);
    return known === undefined ? whole : `\\${word}{${known}}`;
  });
}

/** Wraps the content of one-column environments in `aligned`, because many replies write several columns in them. */
function allowColumns(tex: string): string {
  return tex.replace(
    /\\begin\{(equation|multline|gather)(\*?)\}([\s\S]*?)\\end\{\1\2\}/g,
    (_whole, name: string, star: string, inside: string) =>
      `\\begin{${name}${star}}\\begin{aligned}${inside}\\end{aligned}\\end{${name}${star}}`,
  );
}

/** Removes commands that only concern other parts of a document or are misplaced. */
function withoutMisplaced(tex: string): string {
  return tex.replace(/\\(?:limits|nolimits|hline|displaybreak|allowdisplaybreaks|centering)(?![a-zA-Z])/g, ' ');
}

/** Replaces display environments for a formula within a line. */
function withoutDisplay(tex: string): string {
  return tex
    .replace(/\\(begin|end)\{align\*?\}/g, '\\$1{aligned}')
    .replace(/\\(begin|end)\{(?:gather|equation|multline)\*?\}/g, '\\$1{gathered}')
    .replace(/\\tag\*?\{[^{}]*\}/g, '');
}

/** Lists the variants of a formula to try in turn, from the original to simpler ones. */
export function listTexVariants(tex: string): readonly string[] {
  const declared = tex.replace(
    /\\DeclareMathOperator\*?\s*\{?(\\[a-zA-Z]+)\}?\s*\{([^{}]*)\}/g,
    (_whole, name: string, words: string) => `\\def${name}{\\operatorname{${words}}}`,
  );
  const plain = renameEnvironments(declared);
  const readings = [
    plain,
    plain.replaceAll('\\newcommand', '\\renewcommand'),
    allowColumns(plain),
    withoutMisplaced(plain),
    allowColumns(withoutMisplaced(plain)),
    withoutDisplay(allowColumns(withoutMisplaced(plain))),
  ];
  return [...new Set(readings)];
}

/** Makes the rendering options. Nothing in a formula is trusted: no links, classes or styles. */
export function makeTexOptions(display: boolean): Options {
  return {
    // An unknown command is shown by its name; only an unreadable formula is refused.
    throwOnError: false,
    errorColor: 'inherit',
    trust: false,
    strict: false,
    maxExpand: 500,
    maxSize: [20, 20],
    displayMode: display,
    // The macros are copied, because a formula may define its own.
    macros: { ...macros },
  };
}
