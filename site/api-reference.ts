/**
 * Generates the reference of the libraries from their sources: the exports of each entry with comments and signatures.
 */
import { join, posix } from 'node:path';
import { type ESTree, parseSync } from 'vite';
import type { Workspace } from '../test/checks/workspace.ts';

/** An exported name with its comment and declaration. */
export interface ApiName {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'value';
  /** The comment above the name, without its stars. */
  readonly comment: string;
  /** The declaration, without the body of a function. */
  readonly signature: string;
}

/** The exports of one entry of a package, such as `@coppice/core/tree`. */
export interface ApiEntry {
  readonly specifier: string;
  readonly comment: string;
  readonly names: readonly ApiName[];
}

/** The packages that users import, in reading order. */
export const documentedPackages = [
  'core',
  'content',
  'stores',
  'engine',
  'server',
  'client',
  'react',
  'ai-sdk',
  'assistant-ui',
  'langchain',
] as const;

interface SourceModule {
  readonly text: string;
  readonly program: ESTree.Program;
  readonly comments: ReturnType<typeof parseSync>['comments'];
}

/** Reads the reference of one package. */
export function readApi(workspace: Workspace, folder: string): readonly ApiEntry[] {
  const modules = new Map<string, SourceModule>();
  const manifest: { readonly exports: Readonly<Record<string, string | { readonly default: string }>> } = JSON.parse(
    workspace.read(`packages/${folder}/package.json`),
  );
  const open = (path: string): SourceModule => {
    const known = modules.get(path);
    if (known !== undefined) return known;
    const text = workspace.read(path);
    const { program, comments } = parseSync(path, text);
    const module = { text, program, comments };
    modules.set(path, module);
    return module;
  };
  const files = Object.entries(manifest.exports).map(
    // The file for browsers exports the same names.
    ([entry, file]) => [entry, typeof file === 'string' ? file : file.default] as const,
  );
  const entries = files.filter(
    ([entry, file]) => /^\.\/src\/.*\.tsx?$/.test(file) && !/testing|conformance|vectors|paths/.test(entry),
  );
  return entries.map(([entry, file]) => {
    const path = posix.join('packages', folder, file);
    const names = [...exportsOf(path, open)].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { specifier: posix.join(`@coppice/${folder}`, entry), comment: firstComment(open(path)), names };
  });
}

function firstComment({ comments, program }: SourceModule): string {
  const [first] = comments;
  if (first === undefined || first.type !== 'Block' || first.start > (program.body[0]?.start ?? 0)) return '';
  return cleanComment(first.value);
}

/** Returns a comment without stars; links to other names become code. */
function cleanComment(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join('\n')
    .replaceAll(/\{@link ([^}|]+)(?:\|[^}]*)?\}/g, '`$1`')
    .trim();
}

/** Yields all exports of a module, its own names and re-exported ones. */
function* exportsOf(path: string, open: (path: string) => SourceModule): Generator<ApiName> {
  const module = open(path);
  for (const statement of module.program.body) {
    if (statement.type === 'ExportAllDeclaration') {
      const from = statement.source.value;
      if (from.startsWith('.')) yield* exportsOf(posix.join(posix.dirname(path), from), open);
    } else if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration !== null) yield* declared(module, statement, statement.declaration);
      else
        for (const { local, exported } of statement.specifiers) {
          const [inner, outer] = [nameOf(local), nameOf(exported)];
          const from = statement.source?.value;
          const found = from === undefined ? localName(module, path, inner, open) : fromModule(path, from, inner, open);
          if (found !== null) yield { ...found, name: outer };
        }
    }
  }
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === 'Literal' ? node.value : node.name;
}

function fromModule(path: string, from: string, name: string, open: (path: string) => SourceModule): ApiName | null {
  if (!from.startsWith('.') || from.endsWith('.json')) return null;
  for (const each of exportsOf(posix.join(posix.dirname(path), from), open)) if (each.name === name) return each;
  return null;
}

/** Finds a name that the module declares or imports, and exports in a list. */
function localName(
  module: SourceModule,
  path: string,
  name: string,
  open: (path: string) => SourceModule,
): ApiName | null {
  for (const statement of module.program.body) {
    if (statement.type === 'ImportDeclaration')
      for (const specifier of statement.specifiers)
        if (specifier.local.name === name && specifier.type === 'ImportSpecifier')
          return fromModule(path, statement.source.value, nameOf(specifier.imported), open);
    for (const each of declared(module, statement, statement)) if (each.name === name) return each;
  }
  return null;
}

function* declared(module: SourceModule, statement: { readonly start: number }, node: ESTree.Node): Generator<ApiName> {
  const comment = commentAbove(module, statement.start);
  const make = (name: string, kind: ApiName['kind'], signature: string): ApiName => ({
    name,
    kind,
    comment,
    signature,
  });
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction': {
      const end = node.body?.start ?? node.end;
      if (node.id !== null) yield make(node.id.name, 'function', textOf(module, node.start, end));
      return;
    }
    case 'ClassDeclaration':
      if (node.id !== null) yield make(node.id.name, 'class', classText(module, node));
      return;
    case 'TSInterfaceDeclaration':
      yield make(node.id.name, 'interface', textOf(module, node.start, node.end));
      return;
    case 'TSTypeAliasDeclaration':
      yield make(node.id.name, 'type', textOf(module, node.start, node.end));
      return;
    case 'VariableDeclaration':
      for (const { id, init } of node.declarations)
        if (id.type === 'Identifier') {
          // A declared type is shown instead of the value; without one, a short value is shown.
          const typed = id.typeAnnotation === null || id.typeAnnotation === undefined ? id.end : id.typeAnnotation.end;
          const short =
            init !== null && init.end - init.start < 80 && !textOf(module, init.start, init.end).includes('\n');
          const end = short ? init.end : typed;
          yield make(id.name, 'value', `${node.kind} ${textOf(module, id.start, end)}`);
        }
      return;
    default:
  }
}

/** Returns a class without the bodies of its methods and without private members. */
function classText(module: SourceModule, node: ESTree.Class): string {
  const head = textOf(module, node.start, node.body.start);
  const members: string[] = [];
  for (const member of node.body.body) {
    if (member.type === 'StaticBlock' || member.type === 'TSIndexSignature') continue;
    if (member.key.type === 'PrivateIdentifier') continue;
    if ('accessibility' in member && member.accessibility === 'private') continue;
    const isMethod = member.type === 'MethodDefinition' || member.type === 'TSAbstractMethodDefinition';
    const value = member.value;
    const end =
      value === null ? member.end : isMethod && 'body' in value ? (value.body?.start ?? member.end) : value.start;
    const comment = commentAbove(module, member.start);
    const text = textOf(module, member.start, end).replace(/\s*=$/, '');
    members.push(`${comment === '' ? '' : `  /** ${comment.replaceAll('\n', ' ')} */\n`}  ${text.replace(/;?$/, ';')}`);
  }
  return `${head} {\n${members.join('\n')}\n}`;
}

/** Returns the comment directly above a position; empty if there is none. */
function commentAbove({ comments, text }: SourceModule, start: number): string {
  const above = comments.findLast((comment) => comment.end <= start);
  if (above === undefined || above.type !== 'Block' || !above.value.startsWith('*')) return '';
  return text.slice(above.end, start).trim() === '' ? cleanComment(above.value) : '';
}

function textOf({ text }: SourceModule, start: number, end: number): string {
  return text.slice(start, end).trim();
}

/** Returns the path of a package's page, from the root of the site. */
export function apiPagePath(folder: string): string {
  return join('reference', folder).replaceAll('\\', '/');
}
