/** Prepares TeX of ordinary replies for the rendering library. */
import type { Options } from 'temml';

const operators = [
  ...['trace', 'diag', 'sign', 'Var', 'Cov', 'Corr', 'softmax', 'ReLU', 'lcm', 'supp', 'im', 'span', 'rank', 'argsort'],
  ...['sigmoid', 'KL', 'MSE', 'proj', 'vol', 'Hom', 'Aut', 'End', 'Gal', 'Spec', 'ord', 'card', 'adj', 'atan2', 'sinc'],
];

// Units of siunitx by their names: `\SI{5}{\kilo\gram\per\metre\squared}`.
const units = [
  'meter m, metre m, second s, gram g, kilogram kg, ampere A, kelvin K, mole mol, candela cd, newton N, joule J, watt W',
  'volt V, pascal Pa, hertz Hz, coulomb C, farad F, tesla T, ohm Ω, litre L, liter L, minute min, hour h, day d',
  'kg kg, cm cm, mm mm, km km, ms ms, kJ kJ, kW kW, MPa MPa, mol mol, degree °',
  'electronvolt eV, percent \\%, celsius °C, degreeCelsius °C, kilo k, mega M, giga G, centi c, milli m, micro µ, nano n',
].flatMap((line) => line.split(', '));

// Commands of packages that replies use like standard TeX.
const macros: Readonly<Record<string, string>> = {
  ...Object.fromEntries(operators.map((name) => [`\\${name}`, `\\operatorname{${name}}`])),
  ...Object.fromEntries(units.map((unit) => [`\\${unit.split(' ')[0]}`, `\\text{${unit.split(' ')[1]}}`])),
  '\\per': '/',
  '\\squared': '^2',
  '\\cubed': '^3',
  '\\nicefrac': '\\tfrac{#1}{#2}',
  '\\sfrac': '\\tfrac{#1}{#2}',
  '\\perthousand': '\\text{‰}',
  '\\permil': '\\text{‰}',
  '\\mbox': '\\text{#1}',
  '\\mspace': '\\hspace{0.2em}',
  '\\mathds': '\\mathbb{#1}',
  '\\mathbbm': '\\mathbb{#1}',
  '\\SI': '#1\\,\\mathrm{#2}',
  '\\si': '\\mathrm{#1}',
  '\\unit': '\\mathrm{#1}',
  '\\num': '#1',
  '\\ang': '{#1}^{\\circ}',
  '\\SIrange': '#1\\text{–}#2\\,\\mathrm{#3}',
  '\\overunderset': '\\overset{#1}{\\underset{#2}{#3}}',
  '\\nCr': '{}^{#1}C_{#2}',
  '\\nPr': '{}^{#1}P_{#2}',
  '\\mathlarger': '#1',
  '\\mathsmaller': '#1',
  '\\shoveleft': '#1',
  '\\shoveright': '#1',
  '\\textasciitilde': '\\text{~}',
  '\\textasciicircum': '\\text{\\^{}}',
  '\\textbackslash': '\\backslash',
  '\\textbar': '|',
  '\\textless': '<',
  '\\textgreater': '>',
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

/** Returns the TeX of the character with a code such as `x263a` or `9786`; empty if there is no such character. */
function characterOf(number: string): string {
  const code = /^["x]/.test(number) ? Number.parseInt(number.slice(1), 16) : Number.parseInt(number, 10);
  const isCharacter = code >= 0x20 && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? `\\text{${String.fromCodePoint(code)}}` : '';
}

/** Removes commands that only load packages, link or decorate, and replaces commands that the library lacks. */
function withoutExtensions(tex: string): string {
  return tex
    .replace(/\\require\s*\{[^{}]*\}/g, '')
    .replace(/\\href\s*\{[^{}]*\}/g, '')
    .replace(/\\bbox\s*(?:\[[^\]]*\])?/g, '\\boxed')
    .replace(/\\enclose\s*\{longdiv\}/g, '\\overline')
    .replace(/\\enclose\s*\{(?:box|roundedbox|circle)\}/g, '\\boxed')
    .replace(/\\enclose\s*\{[^{}]*strike\}/g, '\\cancel')
    .replace(/\\(?:unicode|symbol)\s*\{\s*(["x]?[0-9a-fA-F]{1,6})\s*\}/g, (_whole, number: string) =>
      characterOf(number),
    )
    .replace(/\\intertext\s*(\{[^{}]*\})/g, '\\text$1\\\\')
    .replace(
      /\\begin\{(p|b|v|V|B)smallmatrix\}([\s\S]*?)\\end\{\1smallmatrix\}/g,
      (_whole, kind: keyof typeof fences, inside: string) =>
        `\\left${fences[kind][0]}\\begin{smallmatrix}${inside}\\end{smallmatrix}\\right${fences[kind][1]}`,
    )
    .replace(/(\\begin\{array\}\s*\{[^}]*?)[@!]\{[^{}]*\}/g, '$1')
    .replace(/(\\begin\{array\}\s*\{[^}]*?)[@!]\{[^{}]*\}/g, '$1');
}

const fences = {
  p: ['(', ')'],
  b: ['[', ']'],
  v: ['|', '|'],
  V: ['\\|', '\\|'],
  B: ['\\{', '\\}'],
} as const;

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
  const plain = renameEnvironments(withoutExtensions(declared));
  const readings = [
    plain,
    plain.replaceAll('\\newcommand', '\\renewcommand'),
    allowColumns(plain),
    withoutMisplaced(plain),
    allowColumns(withoutMisplaced(plain)),
    withoutDisplay(allowColumns(withoutMisplaced(plain))),
    // Lines with alignment marks, but without their environment.
    `\\begin{aligned}${plain}\\end{aligned}`,
    plain.replaceAll('\\middle', ''),
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
