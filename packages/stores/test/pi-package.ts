/** The published terminal agent whose format session files follow, for tests and benches that stand beside it. */
export { SessionManager as PiSessionManager } from '@mariozechner/pi-coding-agent';
