/**
 * Failpoints for tests: `COPPICE_FAULT=<point>:<n>:<kill|exit|hang|eio|enospc>[:sticky]` makes the point fail when it
 * is passed for the nth time. Works only if `COPPICE_TEST_FAULTS=1` is set as well; then a notice is printed at start.
 */
import { AppError } from '@coppice/core';

/** What a failpoint does: ends the process, blocks forever like a failing disk, or throws an input or output error. */
type Fault = (typeof faults)[number];

const faults = ['kill', 'exit', 'hang', 'eio', 'enospc'] as const;

interface ArmedFault {
  readonly point: string;
  readonly nth: number;
  readonly fault: Fault;
  readonly sticky: boolean;
  passed: number;
}

let armed: ArmedFault | null | undefined;

function parseFaults(): ArmedFault | null {
  const { COPPICE_FAULT: spec, COPPICE_TEST_FAULTS: allowed } = process.env;
  if (allowed !== '1' || spec === undefined || spec === '') return null;
  const [point = '', nth = '1', asked = 'kill', sticky] = spec.split(':');
  const fault = faults.find((known) => known === asked);
  if (fault === undefined)
    throw new AppError({
      code: 'command/invalid',
      kind: 'invalid',
      message: `COPPICE_FAULT ends in one of ${faults.join(', ')}, not ${asked}.`,
    });
  process.stderr.write(`coppice: a fault is armed for tests: ${spec}\n`);
  return { point, nth: Number(nth), fault, sticky: sticky === 'sticky', passed: 0 };
}

/** Arms a fault from within a test; null disarms it. Otherwise the environment is read at the first failpoint. */
export function armFault(
  fault: { readonly point: string; readonly nth: number; readonly fault: Fault; readonly sticky?: boolean } | null,
): void {
  armed = fault === null ? null : { ...fault, sticky: fault.sticky === true, passed: 0 };
}

/**
 * Returns how often the armed failpoint was passed. A test that lets the first, second and each further pass fail ends
 * when this count is lower than the number of the pass.
 */
export function countFaultPasses(): number {
  return armed?.passed ?? 0;
}

/**
 * Whether a fault is armed. Callers check this first, so that they build no names of failpoints in normal operation.
 */
export function isFaultArmed(): boolean {
  if (armed === undefined) armed = parseFaults();
  return armed !== null;
}

/**
 * Marks a place in the code where a test can make a write fail. Does nothing unless a fault is armed for this point.
 */
export function failpoint(point: string): void {
  if (armed === undefined) armed = parseFaults();
  if (armed === null || (armed.point !== '*' && armed.point !== point)) return;
  armed.passed++;
  const due = armed.sticky ? armed.passed >= armed.nth : armed.passed === armed.nth;
  if (!due) return;
  if (armed.fault === 'kill') process.kill(process.pid, 'SIGKILL');
  if (armed.fault === 'exit') process.exit(1);
  if (armed.fault === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  const full = armed.fault === 'enospc';
  throw new AppError({
    code: full ? 'store/full' : 'store/unavailable',
    kind: 'unavailable',
    message: full
      ? `The disk is full (a fault that a test armed at ${point}).`
      : `An input or output error (a fault that a test armed at ${point}).`,
    data: { point },
    retryable: true,
  });
}
