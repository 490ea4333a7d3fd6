import { type ESTree, parseSync } from 'vite';
import { createLineFinder } from './modules.ts';
import { isTestFile, isTypeScript, type Workspace } from './workspace.ts';

/** A top-level declaration of a module. */
export interface Declaration {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'type' | 'value';
  readonly exported: boolean;
  readonly line: number;
}

/** A function, and its length in lines. */
export interface FunctionLength {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** A name that a module declares: of a variable, parameter, member, function, class or type. */
export interface DeclaredName {
  readonly name: string;
  readonly line: number;
}

interface Visit {
  readonly node: ESTree.Node;
  readonly parent: ESTree.Node | null;
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function* walk(program: ESTree.Program): Generator<Visit> {
  const open: Visit[] = [{ node: program, parent: null }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    yield visit;
    for (const value of Object.values(visit.node)) {
      const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const part of parts) if (isNode(part)) open.push({ node: part, parent: visit.node });
    }
  }
}

function declarationsOf(statement: ESTree.Node): readonly { name: string; kind: Declaration['kind']; at: number }[] {
  switch (statement.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return statement.id ? [{ name: statement.id.name, kind: 'function', at: statement.start }] : [];
    case 'ClassDeclaration':
      return statement.id ? [{ name: statement.id.name, kind: 'class', at: statement.start }] : [];
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return [{ name: statement.id.name, kind: 'type', at: statement.start }];
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id, init }) => {
        if (id.type !== 'Identifier') return [];
        const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';
        return [{ name: id.name, kind: isFunction ? ('function' as const) : ('value' as const), at: statement.start }];
      });
    default:
      return [];
  }
}

/** Returns the top-level declarations of a module, and whether it exports each under its own name. */
function readDeclarations(path: string, text: string): readonly Declaration[] {
  const { program } = parseSync(path, text);
  const lineOf = createLineFinder(text);
  const exportedLater = new Set<string>();
  const found: Declaration[] = [];
  const add = (statement: ESTree.Node, exported: boolean) => {
    for (const { name, kind, at } of declarationsOf(statement)) found.push({ name, kind, exported, line: lineOf(at) });
  };
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration' && statement.declaration) add(statement.declaration, true);
    else if (statement.type === 'ExportDefaultDeclaration') add(statement.declaration, true);
    else if (statement.type === 'ExportNamedDeclaration' && !statement.source) {
      for (const { local } of statement.specifiers) if (local.type === 'Identifier') exportedLater.add(local.name);
    } else add(statement, false);
  }
  return found.map((one) => (exportedLater.has(one.name) ? { ...one, exported: true } : one));
}

/** Returns the functions of a module, including nested ones and methods. */
export function readFunctions(path: string, text: string): readonly FunctionLength[] {
  const { program } = parseSync(path, text);
  const lineOf = createLineFinder(text);
  const found: FunctionLength[] = [];
  for (const { node, parent } of walk(program)) {
    if (!['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type)) continue;
    const named = [node, parent].flatMap((one) => {
      if (one === null) return [];
      if ('id' in one && isNode(one.id) && one.id.type === 'Identifier') return [one.id.name];
      return 'key' in one && isNode(one.key) && one.key.type === 'Identifier' ? [one.key.name] : [];
    });
    const line = lineOf(node.start);
    found.push({ name: named[0] ?? '(anonymous)', line, lines: lineOf(node.end - 1) - line + 1 });
  }
  return found;
}

const memberTypes = new Set([
  'Property',
  'MethodDefinition',
  'PropertyDefinition',
  'TSPropertySignature',
  'TSMethodSignature',
  'TSAbstractMethodDefinition',
]);

/** Returns all names that a module declares, including locals, parameters and members. */
export function readDeclaredNames(path: string, text: string): readonly DeclaredName[] {
  const { program } = parseSync(path, text);
  const lineOf = createLineFinder(text);
  const found: DeclaredName[] = [];
  const add = (node: unknown) => {
    if (isNode(node) && (node.type === 'Identifier' || node.type === 'PrivateIdentifier'))
      found.push({ name: node.name, line: lineOf(node.start) });
  };
  const addPattern = (pattern: unknown) => {
    const open = [pattern];
    while (open.length > 0) {
      const node = open.pop();
      if (!isNode(node)) continue;
      if (node.type === 'Identifier') add(node);
      else if (node.type === 'AssignmentPattern') open.push(node.left);
      else if (node.type === 'RestElement') open.push(node.argument);
      else if (node.type === 'TSParameterProperty') open.push(node.parameter);
      else if (node.type === 'ArrayPattern') open.push(...node.elements);
      else if (node.type === 'ObjectPattern')
        for (const each of node.properties) open.push(each.type === 'Property' ? each.value : each.argument);
    }
  };
  for (const { node, parent } of walk(program)) {
    if ('params' in node && Array.isArray(node.params)) for (const each of node.params) addPattern(each);
    const isComputed = 'computed' in node && node.computed === true;
    if (memberTypes.has(node.type) && 'key' in node && !isComputed && parent?.type !== 'ObjectPattern') add(node.key);
    switch (node.type) {
      case 'VariableDeclarator':
        addPattern(node.id);
        break;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ClassDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        add(node.id);
        break;
      default:
        break;
    }
  }
  return found;
}

/** Returns whether a file is published source code, and not a test, a suite or a test helper. */
export function isPublishedSource(path: string): boolean {
  return /^packages\/[^/]+\/src\//.test(path) && isTypeScript(path) && !isTestFile(path);
}

/** A name that several source files define, and these files. `exported` marks the files that export the name. */
export interface DuplicateName {
  readonly name: string;
  readonly places: readonly { readonly path: string; readonly exported: boolean }[];
}

/**
 * Returns the names of functions, classes and types that more than one source file defines. Constants are left out,
 * because a module constant such as `name` or `longest` does not mislead.
 */
export function findDuplicateNames(workspace: Workspace): readonly DuplicateName[] {
  const places = new Map<string, Map<string, boolean>>();
  for (const path of workspace.paths.filter(isPublishedSource))
    for (const { name, kind, exported } of readDeclarations(path, workspace.read(path))) {
      if (kind === 'value') continue;
      const files = places.get(name) ?? new Map<string, boolean>();
      files.set(path, exported || files.get(path) === true);
      places.set(name, files);
    }
  return [...places]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => ({ name, places: [...files].map(([path, exported]) => ({ path, exported })) }))
    .sort((a, b) => b.places.length - a.places.length || a.name.localeCompare(b.name));
}

/** Splits a name into words: open, http and file for `openHTTPFile`. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
