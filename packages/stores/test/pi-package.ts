/**
 * The published terminal agent pi, whose format session files follow, for tests and benchmarks that compare with it.
 */
export { SessionManager as PiSessionManager } from '@mariozechner/pi-coding-agent';
