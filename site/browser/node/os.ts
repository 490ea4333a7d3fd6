export function tmpdir(): string {
  return '/tmp';
}

export function homedir(): string {
  return '/';
}

export function hostname(): string {
  return 'browser';
}
