/** The published terminal agent pi. Session files follow its format, so tests and benchmarks compare with it. */
export { SessionManager as PiSessionManager } from '@mariozechner/pi-coding-agent';
