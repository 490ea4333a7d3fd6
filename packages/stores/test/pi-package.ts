/**
 * Exports the session manager of the terminal agent pi. Session files follow pi's format, so tests and benchmarks
 * compare with it.
 */
export { SessionManager as PiSessionManager } from '@mariozechner/pi-coding-agent';
