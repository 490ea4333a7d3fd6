// Prepares code examples of the documentation so that tests can run them.
import { transform } from 'esbuild';

/** Converts examples to a function body: removes types, and reads imports from an object `packages` by name. */
export async function toFunctionBody(examples: string): Promise<string> {
  const { code } = await transform(examples, { loader: 'ts', format: 'esm', target: 'es2023' });
  return code
    .replaceAll(
      /^import (\w+) from "([^"]*)";$/gm,
      (_line, name, from) => `const { default: ${name} } = packages["${from}"];`,
    )
    .replaceAll(
      /^import \{([^}]*)\} from "([^"]*)";$/gm,
      (_line, names, from) => `const {${names.replaceAll(' as ', ': ')}} = packages["${from}"];`,
    );
}
