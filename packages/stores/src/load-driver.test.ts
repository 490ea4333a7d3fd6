import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { toDriverError } from './load-driver.ts';

const name = '@coppice/no-such-driver';

test('[K191] a missing driver is named with the command that installs it; other failures are passed on', () => {
  const failure = () => {
    try {
      return createRequire(import.meta.url)(name);
    } catch (error) {
      return error;
    }
  };
  const missing = failure();
  expect(toDriverError(missing, name, 'sqlite')).toMatchObject({
    code: 'store/unavailable',
    message: expect.stringContaining(`npm install ${name}`),
    data: { package: name },
    cause: missing,
  });
  const imported = Object.assign(new Error(`Cannot find package '${name}' imported from x`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  expect(toDriverError(imported, name, 'postgres')).toMatchObject({ code: 'store/unavailable', cause: imported });
  const part = Object.assign(new Error("Cannot find module './build/native.node'"), { code: 'MODULE_NOT_FOUND' });
  expect(toDriverError(part, name, 'postgres')).toBe(part);
});
