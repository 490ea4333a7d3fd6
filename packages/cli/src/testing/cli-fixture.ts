/** Runs command lines in a test, with a temporary home, recorded streams, and none of the machine's environment. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessHost } from '../output.ts';
import { runCli } from '../program.ts';
import type { Subcommand } from '../subcommands/contract.ts';

/** The result of a command line. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CliFixture {
  readonly home: string;
  /** Runs a command line, optionally with standard input. */
  run(words: readonly string[], input?: string): Promise<CliResult>;
  /** Like {@link CliFixture.run} with `--json`; throws if the command fails. */
  json(words: readonly string[], input?: string): Promise<Answered>;
  /** Creates a tree with a chain of these texts. */
  createChat(...texts: readonly string[]): Promise<CreatedChat>;
  close(): void;
}

/** Parsed JSON output. */
type Answered = Readonly<Record<string, unknown>>;

/** A tree and its nodes, in order. */
interface CreatedChat {
  readonly tree: string;
  readonly nodes: readonly string[];
}

/** A configuration whose built-in models write without delay: by default a reply of the guide takes a second. */
export const instantRepliesConfig = '[offline]\ndelay_ms = 0\n[ollama]\ndetect = false\n';

export interface CliFixtureOptions extends Partial<ProcessHost> {
  readonly members?: readonly Subcommand[];
  /** The text of the configuration file. */
  readonly config?: string;
}

/**
 * Creates the fixture. `over` replaces parts of the host, such as its environment. A home that is given is not removed
 * at the end.
 */
export function makeCliFixture({ config, ...over }: CliFixtureOptions = {}): CliFixture {
  const home = over.home ?? mkdtempSync(join(tmpdir(), 'coppice-cli-'));
  if (config !== undefined) {
    mkdirSync(join(home, '.coppice'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, '.coppice', 'config.toml'), config, { mode: 0o600 });
  }
  const run = async (words: readonly string[], input?: string): Promise<CliResult> => {
    const out: string[] = [];
    const err: string[] = [];
    const { members, ...host } = over;
    const code = await runCli(
      words,
      {
        stdout: {
          write: (text) => out.push(typeof text === 'string' ? text : Buffer.from(text).toString('utf8')),
          columns: 80,
        },
        stderr: { write: (text) => err.push(text) },
        stdin: Object.assign(pieces(input), { isTTY: input === undefined }),
        env: {},
        home,
        cwd: home,
        signal: new AbortController().signal,
        ...host,
      },
      ...(members === undefined ? [] : [members]),
    );
    return { code, out: out.join(''), err: err.join('') };
  };
  const json = async (words: readonly string[], input?: string): Promise<Answered> => {
    const ran = await run([...words, '--json'], input);
    if (ran.out === '') throw new Error(`${words.join(' ')} answered nothing but: ${ran.err}`);
    return JSON.parse(ran.out);
  };
  return {
    home,
    run,
    json,
    async createChat(...texts) {
      const nodes: string[] = [];
      let tree = '';
      for (const text of texts) {
        const said = await json(tree === '' ? ['append', '--new', text] : ['append', tree, text]);
        tree = String(said['treeId']);
        nodes.push(String(said['nodeId']));
      }
      return { tree, nodes };
    },
    close() {
      if (over.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

async function* pieces(input: string | undefined): AsyncGenerator<string> {
  if (input !== undefined) yield input;
}
