import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { loadDriver, loadDriverSync } from './load-driver.ts';

const name = '@coppice/no-such-driver';

test('[K191] a missing driver is named with the command that installs it; other failures are passed on', async () => {
  const required = () => loadDriverSync(name, 'sqlite', () => createRequire(import.meta.url)(name));
  expect(required).toThrow(`npm install ${name}`);
  const missing = Object.assign(new Error(`Cannot find package '${name}' imported from x`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  const imported = loadDriver(name, 'postgres', () => Promise.reject(missing));
  await expect(imported).rejects.toMatchObject({ code: 'store/unavailable', data: { package: name }, cause: missing });
  const part = Object.assign(new Error("Cannot find module './build/native.node'"), { code: 'MODULE_NOT_FOUND' });
  await expect(loadDriver(name, 'postgres', () => Promise.reject(part))).rejects.toBe(part);
  expect(await loadDriver(name, 'postgres', () => 7)).toBe(7);
});
