/** Logs each action of a run before it is done, so that a failed run can be replayed. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Store } from '@coppice/core';

/** The folder for the journals and replay files of runs. */
export const tortureFolder = join(dirname(fileURLToPath(import.meta.url)), '../../../../.tmp/torture');

/** The error of a failed run, with the path of its replay file. */
export class TortureFailure extends Error {
  readonly replay: string;

  constructor(message: string, replay: string, cause?: unknown) {
    super(`${message}\nReplay: ${replay}`, { cause });
    this.name = 'TortureFailure';
    this.replay = replay;
  }
}

/** The result of a successful run: counts by name. */
export interface TortureReport {
  readonly name: string;
  readonly seed: string;
  readonly figures: Readonly<Record<string, number | string>>;
}

/** The journal of one run. A successful run deletes it. */
export class TortureJournal {
  readonly name: string;
  readonly seed: string;
  readonly path: string;
  readonly #say: (line: string) => void;

  constructor(name: string, seed: string, say: (line: string) => void = () => undefined) {
    this.name = name;
    this.seed = seed;
    this.#say = say;
    mkdirSync(tortureFolder, { recursive: true });
    this.path = join(tortureFolder, `${name}-${seed}-${process.pid}.jsonl`);
    writeFileSync(this.path, '');
    say(`torture ${name} --seed ${seed}`);
  }

  /** Logs an action. Must be called before the action, so that the log is complete after a crash. */
  note(action: object): void {
    appendFileSync(this.path, `${JSON.stringify(action)}\n`);
  }

  say(line: string): void {
    this.#say(line);
  }

  /** Writes a replay file beside the journal, and returns the error to throw. */
  failure(message: string, replay: object = {}, cause?: unknown): TortureFailure {
    const path = this.path.replace(/\.jsonl$/, '.replay.json');
    writeFileSync(path, `${JSON.stringify({ name: this.name, seed: this.seed, message, ...replay }, null, 1)}\n`);
    return new TortureFailure(message, path, cause);
  }

  /** Checks a store. Throws if the check finds errors, with the first five. */
  async checkStore(store: Store, replay: object = {}): Promise<void> {
    const errors = (await store.fsck()).findings.filter(({ severity }) => severity === 'error');
    if (errors.length === 0) return;
    const messages = errors.slice(0, 5).map(({ message }) => message);
    throw this.failure(`fsck: ${messages.join(' ')}`, { ...replay, errors: errors.length });
  }

  /** Ends a successful run, and deletes the journal. */
  done(figures: TortureReport['figures']): TortureReport {
    rmSync(this.path, { force: true });
    return { name: this.name, seed: this.seed, figures };
  }
}
