// Examples of the documentation as code that runs here.
import { transform } from 'esbuild';

/** Examples as the body of a function: types are gone, and imports come from an object `packages` by their names. */
export async function functionBodyOf(examples: string): Promise<string> {
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
