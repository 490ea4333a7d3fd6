import { AppError } from '@coppice/core';

/**
 * Returns the error to throw when loading a database driver, an optional peer dependency, has failed. If the driver is
 * not installed, the error names the package to install.
 */
export function toDriverError(error: unknown, name: string, scheme: string): unknown {
  return isNotInstalled(error, name) ? missingDriver(name, scheme, error) : error;
}

function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
  // A missing dependency of an installed driver is a different error: installing the driver again would not help.
  return isMissing && error.message.includes(`'${name}'`);
}

function missingDriver(name: string, scheme: string, cause: unknown): AppError {
  return new AppError({
    code: 'store/unavailable',
    kind: 'unavailable',
    message: `A store of ${scheme}: needs the package ${name}, which is not installed. Run: npm install ${name}`,
    data: { package: name },
    cause,
  });
}
