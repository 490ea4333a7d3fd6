import { type ESTree, parseSync } from 'vite';

/**
 * How a module refers to another: `import`, `export … from`, `import()`, a type (`import('x').Y`), `require`, a mock of
 * the test runner, or a file URL (`new URL('…', import.meta.url)`).
 */
export type ModuleReferenceKind = 'import' | 'export' | 'dynamic' | 'type' | 'require' | 'mock' | 'address';

/** A reference of a module to another one. */
export interface ModuleImport {
  readonly form: ModuleReferenceKind;
  /** The module specifier; null if it is computed at run time. */
  readonly specifier: string | null;
  /** Whether the import is erased with the types. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A use of a name that the module does not declare. */
export interface GlobalUse {
  readonly name: string;
  /** The accessed member (`now` in `Date.now`), or null if the whole value is used or the key is computed. */
  readonly member: string | null;
  /** The number of arguments if the name is called or constructed, else null. */
  readonly callArguments: number | null;
  readonly line: number;
}

/** A call in a module, with what identifies a test or a suite. */
export interface ModuleCall {
  /** The names that form the callee: test and each for `test.each(rows)('…')`. */
  readonly callee: readonly string[];
  /** The literal text of each argument (the fixed parts of a template), null for other arguments. */
  readonly texts: readonly (string | null)[];
  readonly line: number;
}

/** A key of an object literal whose value imports a module, as in `sqlite: () => import('./sqlite/index.ts')`. */
export interface LazyImportEntry {
  readonly key: string;
  readonly specifier: string;
  readonly line: number;
}

/** A result of `JSON.parse` that gets a type without a check. Copies, `JSON.parse(JSON.stringify(…))`, do not count. */
export interface UncheckedJsonParse {
  /** The text of the type; `(fields)` if the result is taken apart at once. */
  readonly type: string;
  readonly line: number;
}

/** The imports, calls, globals and declarations of one module, as far as the checks use them. */
export interface ModuleFacts {
  readonly errors: readonly string[];
  readonly imports: readonly ModuleImport[];
  readonly globals: readonly GlobalUse[];
  readonly calls: readonly ModuleCall[];
  readonly lazyEntries: readonly LazyImportEntry[];
  /** The types that are asserted for parsed JSON that the module did not write itself. */
  readonly trustedJson: readonly UncheckedJsonParse[];
  /** The lines that test whether a value is an object and not a list. */
  readonly objectTests: readonly number[];
  readonly usesImportMeta: boolean;
}

/**
 * Parses a module with the bundler's parser, so that comments, strings, templates, regular expressions and JSX text are
 * not mistaken for code. A name that is declared anywhere in the file counts as the file's own. The compiler refuses
 * other globals, because core and content have neither Node's nor the browser's types.
 */
export function readModule(path: string, text: string): ModuleFacts {
  const parsed = parseSync(path, text, { preserveParens: false });
  const lineOf = createLineFinder(text);
  const imports: ModuleImport[] = [];
  const uses: GlobalUse[] = [];
  const calls: ModuleCall[] = [];
  const lazyEntries: LazyImportEntry[] = [];
  const trustedJson: UncheckedJsonParse[] = [];
  const objectTests: number[] = [];
  const declared = new Set<string>();
  let usesImportMeta = false;

  const note = (form: ModuleReferenceKind, specifier: string | null, typeOnly: boolean, at: ESTree.Node) =>
    imports.push({ form, specifier, typeOnly, line: lineOf(at.start) });

  for (const { node, parent, key } of walk(parsed.program)) {
    for (const name of declaredNames(node, parent)) declared.add(name);
    switch (node.type) {
      case 'ImportDeclaration':
        note('import', node.source.value, node.importKind === 'type', node);
        break;
      case 'ExportNamedDeclaration':
        if (node.source) note('export', node.source.value, node.exportKind === 'type', node);
        break;
      case 'ExportAllDeclaration':
        note('export', node.source.value, node.exportKind === 'type', node);
        break;
      case 'ImportExpression':
        note('dynamic', literalText(node.source), false, node);
        break;
      case 'TSImportType':
        note('type', node.source.value, true, node);
        break;
      case 'TSExternalModuleReference':
        note('require', node.expression.value, false, node);
        break;
      case 'MetaProperty':
        usesImportMeta ||= node.meta.name === 'import';
        break;
      case 'CallExpression': {
        const callee = calleeNames(node.callee);
        calls.push({ callee, texts: node.arguments.map(literalText), line: lineOf(node.start) });
        if (callee.join('.') === 'JSON.parse') {
          const type = trustedTypeOf(node, parent, text);
          if (type !== null) trustedJson.push({ type, line: lineOf(node.start) });
        }
        const [root, member] = callee;
        const first = node.arguments[0];
        const specifier = first ? literalText(first) : null;
        if (root === 'require') note('require', specifier, false, node);
        else if (root === 'import.meta' && member === 'resolve') note('dynamic', specifier, false, node);
        // A mock can also be given as `import('…')`, which is found as an import.
        else if (root === 'vi' && member && moduleMocks.has(member) && specifier !== null)
          note('mock', specifier, false, node);
        break;
      }
      case 'NewExpression': {
        const [address, base] = node.arguments;
        const isAddress = node.callee.type === 'Identifier' && node.callee.name === 'URL' && address && base;
        if (isAddress && calleeNames(base).join('.') === 'import.meta.url') {
          const specifier = literalText(address);
          if (specifier !== null) note('address', specifier, false, node);
        }
        break;
      }
      case 'Property': {
        const specifier = node.value.type === 'ArrowFunctionExpression' ? importedBy(node.value.body) : null;
        const name = node.key.type === 'Identifier' ? node.key.name : literalText(node.key);
        if (specifier !== null && name !== null && !node.computed)
          lazyEntries.push({ key: name, specifier, line: lineOf(node.start) });
        break;
      }
      case 'LogicalExpression':
        if (isObjectTest(node, parent)) objectTests.push(lineOf(node.start));
        break;
      case 'Identifier':
        if (isReference(parent, key)) uses.push(describeUse(node.name, parent, key, lineOf(node.start)));
        break;
      default:
        break;
    }
  }
  return {
    errors: parsed.errors.map((error) => error.message),
    imports: imports.sort(byLine),
    globals: uses.filter((use) => !declared.has(use.name)).sort(byLine),
    calls: calls.sort(byLine),
    lazyEntries: lazyEntries.sort(byLine),
    trustedJson: trustedJson.sort(byLine),
    objectTests: objectTests.sort((a, b) => a - b),
    usesImportMeta,
  };
}

/** The types that say nothing about the content of JSON. */
const uncheckedTypes = new Set(['unknown', 'Json', 'Json | undefined', 'Json | null']);

/** Returns the type that parsed JSON gets without a check; null if it gets none, or is a copy of a value. */
function trustedTypeOf(call: ESTree.CallExpression, parent: ESTree.Node | null, text: string): string | null {
  const [parsed] = call.arguments;
  if (parsed?.type === 'CallExpression' && calleeNames(parsed.callee).join('.') === 'JSON.stringify') return null;
  const of = (node: ESTree.Node) => text.slice(node.start, node.end);
  if (parent?.type === 'TSAsExpression') {
    const type = of(parent.typeAnnotation);
    return uncheckedTypes.has(type) ? null : type;
  }
  if (parent?.type !== 'VariableDeclarator' || parent.init !== call) return null;
  const { typeAnnotation } = parent.id;
  if (typeAnnotation == null) return '(fields)';
  const type = of(typeAnnotation.typeAnnotation);
  return uncheckedTypes.has(type) ? null : type;
}

/** Whether an expression is the whole of `typeof x === 'object' && x !== null && !Array.isArray(x)`, or its negation. */
function isObjectTest(node: ESTree.LogicalExpression, parent: ESTree.Node | null): boolean {
  if (parent?.type === 'LogicalExpression') return false;
  const parts: ESTree.Node[] = [];
  const open: ESTree.Node[] = [node];
  for (let part = open.pop(); part !== undefined; part = open.pop())
    if (part.type === 'LogicalExpression') open.push(part.left, part.right);
    else parts.push(part);
  const isTypeof = (part: ESTree.Node) =>
    part.type === 'BinaryExpression' &&
    part.left.type === 'UnaryExpression' &&
    part.left.operator === 'typeof' &&
    literalText(part.right) === 'object';
  const namesList = (part: ESTree.Node) => {
    const call = part.type === 'UnaryExpression' ? part.argument : part;
    return call.type === 'CallExpression' && calleeNames(call.callee).join('.') === 'Array.isArray';
  };
  return parts.length === 3 && parts.some(isTypeof) && parts.some(namesList);
}

const moduleMocks = new Set(['mock', 'doMock', 'unmock', 'doUnmock', 'importActual', 'importMock']);

function byLine(a: { readonly line: number }, b: { readonly line: number }): number {
  return a.line - b.line;
}

/** Returns a function that finds the line number of an offset, counted from 1. */
export function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

interface Visit {
  readonly node: ESTree.Node;
  readonly parent: ESTree.Node | null;
  readonly key: string;
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function* walk(program: ESTree.Program): Generator<Visit> {
  const open: Visit[] = [{ node: program, parent: null, key: '' }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    yield visit;
    for (const [key, value] of Object.entries(visit.node)) {
      const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const part of parts) if (isNode(part)) open.push({ node: part, parent: visit.node, key });
    }
  }
}

function literalText(node: ESTree.Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateLiteral') return node.quasis.map((part) => part.value.cooked ?? '').join('…');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const left = literalText(node.left);
  const right = literalText(node.right);
  return left === null && right === null ? null : `${left ?? '…'}${right ?? '…'}`;
}

/** Returns the module that an expression imports, through `await`, `.then(…)` and member access. */
function importedBy(node: ESTree.Node): string | null {
  let inner = node;
  for (;;) {
    if (inner.type === 'ImportExpression') return literalText(inner.source);
    if (inner.type === 'AwaitExpression') inner = inner.argument;
    else if (inner.type === 'CallExpression') inner = inner.callee;
    else if (inner.type === 'MemberExpression') inner = inner.object;
    else return null;
  }
}

function calleeNames(callee: ESTree.Node): readonly string[] {
  const names: string[] = [];
  let node: ESTree.Node = callee;
  for (;;) {
    if (node.type === 'Identifier') return [node.name, ...names];
    if (node.type === 'MetaProperty') return [`${node.meta.name}.${node.property.name}`, ...names];
    if (node.type === 'MemberExpression') {
      if (node.property.type === 'Identifier' && !node.computed) names.unshift(node.property.name);
      node = node.object;
    } else if (node.type === 'CallExpression') node = node.callee;
    else if (node.type === 'TaggedTemplateExpression') node = node.tag;
    else if (node.type === 'ChainExpression') node = node.expression;
    else return names;
  }
}

/**
 * Returns the names that a node declares: variables, parameters (also of function types), functions, classes, imports.
 * `declare const process` declares nothing, because it only tells the compiler about an external name.
 */
function declaredNames(node: ESTree.Node, parent: ESTree.Node | null): readonly string[] {
  const patterns: unknown[] = [];
  if ([node, parent].some((each) => each !== null && 'declare' in each && each.declare === true)) return [];
  if ('params' in node && Array.isArray(node.params)) for (const each of node.params) patterns.push(each);
  switch (node.type) {
    case 'VariableDeclarator':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'TSEnumDeclaration':
      patterns.push(node.id);
      break;
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      patterns.push(node.local);
      break;
    case 'CatchClause':
      patterns.push(node.param);
      break;
    case 'TSIndexSignature':
      for (const each of node.parameters) patterns.push(each);
      break;
    default:
      break;
  }
  const names: string[] = [];
  for (let pattern = patterns.pop(); pattern !== undefined; pattern = patterns.pop()) {
    if (!isNode(pattern)) continue;
    if (pattern.type === 'Identifier') names.push(pattern.name);
    else if (pattern.type === 'AssignmentPattern') patterns.push(pattern.left);
    else if (pattern.type === 'RestElement') patterns.push(pattern.argument);
    else if (pattern.type === 'TSParameterProperty') patterns.push(pattern.parameter);
    else if (pattern.type === 'ArrayPattern') for (const each of pattern.elements) patterns.push(each ?? null);
    else if (pattern.type === 'ObjectPattern')
      for (const each of pattern.properties) patterns.push(each.type === 'Property' ? each.value : each.argument);
  }
  return names;
}

const keyed = new Set([
  'Property',
  'MethodDefinition',
  'PropertyDefinition',
  'AccessorProperty',
  'TSAbstractMethodDefinition',
  'TSAbstractPropertyDefinition',
  'TSPropertySignature',
  'TSMethodSignature',
]);
// Types of nodes whose identifiers are names, labels or types, not values.
const namesOnly = new Set([
  'ImportSpecifier',
  'ExportSpecifier',
  'ExportAllDeclaration',
  'ImportAttribute',
  'MetaProperty',
  'LabeledStatement',
  'BreakStatement',
  'ContinueStatement',
  'TSTypeReference',
  'TSTypeQuery',
  'TSQualifiedName',
  'TSInterfaceHeritage',
  'TSClassImplements',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSTypeParameter',
  'TSTypePredicate',
  'TSNamedTupleMember',
  'TSEnumMember',
  'TSModuleDeclaration',
]);

function isReference(parent: ESTree.Node | null, key: string): boolean {
  if (!parent) return false;
  const computed = 'computed' in parent && parent.computed === true;
  if (parent.type === 'MemberExpression') return key === 'object' || computed;
  if (keyed.has(parent.type) && key === 'key') return computed;
  return !namesOnly.has(parent.type);
}

function describeUse(name: string, parent: ESTree.Node | null, key: string, line: number): GlobalUse {
  const whole = { name, member: null, callArguments: null, line };
  if (parent?.type === 'MemberExpression' && key === 'object') {
    const { property } = parent;
    const member = !parent.computed && property.type === 'Identifier' ? property.name : literalText(property);
    return { ...whole, member };
  }
  const called = (parent?.type === 'NewExpression' || parent?.type === 'CallExpression') && key === 'callee';
  return called ? { ...whole, callArguments: parent.arguments.length } : whole;
}
