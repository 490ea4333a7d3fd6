/** The language and file name of a code block, and whether it can be previewed. */

/** The parsed info string of a fence. */
export interface CodeInfo {
  readonly language: string;
  readonly file: string | null;
}

const isFileName = /^[\w@.+/-]*\.[a-z][a-z0-9]{0,9}$/i;

/** Parses the info string of a fence, such as `ts title="retry.ts"`, `ts retry.ts` or `src/retry.ts`. */
export function parseCodeInfo(info: unknown): CodeInfo {
  if (typeof info !== 'string') return { language: '', file: null };
  const named = /(?:title|file|filename|name)\s*=\s*["']?([^"'\s}]{1,120})/i.exec(info)?.[1];
  const [first = '', second = ''] = info.trim().split(/\s+/, 2);
  const [before = '', after] = first.split(':', 2);
  const file = [named, after, second, first].find((name) => name !== undefined && isFileName.test(name)) ?? null;
  const language = /^[\w+#.-]{1,30}/.exec(before)?.[0] ?? '';
  return { language: isFileName.test(before) ? (before.split('.').at(-1) ?? '') : language, file };
}

const names: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['c', 'C'],
  ['cpp', 'C++'],
  ['cs', 'C#'],
  ['csharp', 'C#'],
  ['css', 'CSS'],
  ['dockerfile', 'Dockerfile'],
  ['go', 'Go'],
  ['html', 'HTML'],
  ['ini', 'INI'],
  ['java', 'Java'],
  ['javascript', 'JavaScript'],
  ['js', 'JavaScript'],
  ['json', 'JSON'],
  ['jsx', 'JSX'],
  ['kotlin', 'Kotlin'],
  ['latex', 'LaTeX'],
  ['markdown', 'Markdown'],
  ['md', 'Markdown'],
  ['mermaid', 'Mermaid'],
  ['php', 'PHP'],
  ['py', 'Python'],
  ['python', 'Python'],
  ['ruby', 'Ruby'],
  ['rust', 'Rust'],
  ['sh', 'Shell'],
  ['shell', 'Shell'],
  ['sql', 'SQL'],
  ['svg', 'SVG'],
  ['swift', 'Swift'],
  ['toml', 'TOML'],
  ['ts', 'TypeScript'],
  ['tsx', 'TSX'],
  ['typescript', 'TypeScript'],
  ['xml', 'XML'],
  ['yaml', 'YAML'],
  ['yml', 'YAML'],
]);

/** Returns the display name of a language; an unknown one is returned as written. */
export function nameOfCodeLanguage(language: string): string {
  return names.get(language.toLowerCase()) ?? language;
}

const endings: ReadonlyMap<string, string> = new Map([
  ['bash', 'sh'],
  ['csharp', 'cs'],
  ['dockerfile', 'dockerfile'],
  ['javascript', 'js'],
  ['kotlin', 'kt'],
  ['latex', 'tex'],
  ['markdown', 'md'],
  ['mermaid', 'mmd'],
  ['patch', 'patch'],
  ['python', 'py'],
  ['ruby', 'rb'],
  ['rust', 'rs'],
  ['shell', 'sh'],
  ['typescript', 'ts'],
]);

/** The file name for saving a code block. */
export function suggestCodeFileName({ language, file }: CodeInfo): string {
  if (file !== null) return file.split('/').at(-1) ?? file;
  const name = language.toLowerCase();
  const ending = endings.get(name) ?? (/^[a-z0-9]{1,8}$/.test(name) ? name : 'txt');
  return `code.${ending}`;
}

export type PreviewKind = 'html' | 'svg' | 'markdown';

/** How a code block can be previewed; null if it cannot. */
export function previewKindOf(language: string, code: string): PreviewKind | null {
  const name = language.toLowerCase();
  if (name === 'markdown' || name === 'md') return 'markdown';
  if (/^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(code) && ['svg', 'xml', 'html', ''].includes(name)) return 'svg';
  if (name === 'html' || name === 'htm' || (name === '' && /^\s*<!doctype html/i.test(code))) return 'html';
  return null;
}
