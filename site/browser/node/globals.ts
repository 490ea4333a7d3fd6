/** Defines the globals of Node that the server's code uses, in a worker. Must be imported first. */
import { ByteBuffer } from './buffer.ts';

const nextTask = new MessageChannel();
const tasks: (() => void)[] = [];
nextTask.port1.onmessage = () => tasks.shift()?.();

/** Runs a function after the current task, like Node's `setImmediate`; `setTimeout` would wait at least 4 ms. */
export function runNextTask(task: () => void): void {
  tasks.push(task);
  nextTask.port2.postMessage(null);
}

const process = {
  env: {},
  pid: 1,
  platform: 'browser',
  version: 'v24.0.0',
  versions: {},
  cwd: () => '/',
  emitWarning: (text: string) => console.warn(text),
  nextTick: (task: () => void) => queueMicrotask(task),
};

/** A timer object like Node's. The browser's `clearTimeout` converts it to its number. */
class Timer {
  readonly #id: number;

  constructor(id: number) {
    this.#id = id;
  }

  /** Does nothing, because a worker does not end by itself. */
  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#id;
  }
}

const { setTimeout: startTimer, setInterval: startInterval } = globalThis;

Object.assign(globalThis, {
  Buffer: ByteBuffer,
  process,
  setTimeout: (task: () => void, ms?: number, ...words: readonly unknown[]) =>
    new Timer(startTimer(task, ms, ...words)),
  setInterval: (task: () => void, ms?: number, ...words: readonly unknown[]) =>
    new Timer(startInterval(task, ms, ...words)),
  setImmediate: (task: (...words: readonly unknown[]) => void, ...words: readonly unknown[]) =>
    runNextTask(() => task(...words)),
});
