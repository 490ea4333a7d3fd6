/** What a run did, written down before it is done, so that a failure can be had again. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where journals and replay files go. */
export const tortureFolder = join(dirname(fileURLToPath(import.meta.url)), '../../../../.tmp/torture');

/** A run that went wrong, and the file that it can be replayed from. */
export class TortureFailure extends Error {
  readonly replay: string;

  constructor(message: string, replay: string, cause?: unknown) {
    super(`${message}\nReplay: ${replay}`, { cause });
    this.name = 'TortureFailure';
    this.replay = replay;
  }
}

/** What a run tells at its end: its figures by name. */
export interface Report {
  readonly name: string;
  readonly seed: string;
  readonly figures: Readonly<Record<string, number | string>>;
}

/** The journal of one run. It is kept where the run fails and taken away where it does not. */
export class Journal {
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

  /** Writes an action down; called before it is done. */
  note(action: object): void {
    appendFileSync(this.path, `${JSON.stringify(action)}\n`);
  }

  /** Tells how far the run is. */
  say(line: string): void {
    this.#say(line);
  }

  /** The failure to throw: what is needed to run it again goes into a file beside the journal. */
  failure(message: string, replay: object = {}, cause?: unknown): TortureFailure {
    const path = this.path.replace(/\.jsonl$/, '.replay.json');
    writeFileSync(path, `${JSON.stringify({ name: this.name, seed: this.seed, message, ...replay }, null, 1)}\n`);
    return new TortureFailure(message, path, cause);
  }

  /** Ends a run that went well. */
  done(figures: Report['figures']): Report {
    rmSync(this.path, { force: true });
    return { name: this.name, seed: this.seed, figures };
  }
}
