import { AppError } from '@coppice/core';

/** Loads a driver, which is an optional peer of this package. Where it is not installed, the error names what to install. */
export async function loadDriver<T>(name: string, scheme: string, load: () => T | Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw isNotInstalled(error, name) ? missingDriver(name, scheme, error) : error;
  }
}

/** As {@link loadDriver}, for a driver that is loaded without waiting. */
export function loadDriverSync<T>(name: string, scheme: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    throw isNotInstalled(error, name) ? missingDriver(name, scheme, error) : error;
  }
}

function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
  // A driver that is installed but misses a part of its own is another failure.
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
