/** Runs the TypeScript example of a README, so that the test of a package can compare what the example claims. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A value that an example computes, and the value that its comment gives. */
export type ReadmeClaim = readonly [actual: unknown, expected: unknown];

/**
 * Runs the first `ts` example of a package's README and returns its claims: the lines `expression; // value`. `source`
 * is the `src` folder of the package, `modules` are the imports that the example may use. `begins` is a pattern for the
 * beginning of a claim, if other lines have comments too.
 */
export async function runReadmeExample(
  source: string,
  modules: Readonly<Record<string, object>>,
  begins = '',
): Promise<readonly ReadmeClaim[]> {
  const readme = readFileSync(join(source, '..', 'README.md'), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const imports = [...example.matchAll(/import \{([^}]*)\} from '([^']*)';/g)];
  const names = imports.map(([, list = '', from = '']) => `const {${list}} = modules[${JSON.stringify(from)}];`);
  const body = example
    .replaceAll(/import [^;]*;/g, '')
    .replaceAll(
      new RegExp(`^((?:${begins}).*); // (.*)$`, 'gm'),
      (_line, expression, expected) => `claims.push([${expression}, ${expected}]);`,
    );
  const claims: ReadmeClaim[] = [];
  await new Function('claims', 'modules', `return (async () => {${names.join('\n')}\n${body}})();`)(claims, modules);
  return claims;
}
