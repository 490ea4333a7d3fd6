/**
 * Tests that no control character in texts of models, tools and imports reaches the terminal: in the output of every
 * subcommand, as text and as JSON.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subcommands } from './subcommands/all.ts';
import { type CliFixture, instantRepliesConfig, makeCliFixture } from './testing/index.ts';

const escape = '\u001b';
const ends = ['\u0007', `${escape}\\`, '\u009c', ''] as const;

/** Texts that would affect a terminal: titles, clipboards, links, cursors, keys, character sets, directions. */
function nastyTexts(): readonly string[] {
  const bodies = [
    ...ends.flatMap((end) => [
      `${escape}]52;c;c2VjcmV0${end}`,
      `\u009d52;c;c2VjcmV0${end}`,
      `${escape}]8;;https://evil.invalid/${end}safe${escape}]8;;${end}`,
      `${escape}]0;title${end}`,
      `${escape}]1337;File=name=eA==:AAAA${end}`,
      `${escape}]777;notify;a;b${end}`,
      `${escape}P+q544e${end}`,
      `${escape}_Gf=32;AAAA${end}`,
      `${escape}^private${end}`,
      `${escape}Xstring${end}`,
      `\u0090data${end}`,
    ]),
    ...[
      '2J',
      '1;1H',
      '6n',
      '?1049h',
      '?2004l',
      '31m',
      '5i',
      '>0q',
      '!p',
      '0 q',
      '38;2;1;2;3m',
      '999999999999A',
      '',
    ].flatMap((final) => [`${escape}[${final}`, `\u009b${final}`]),
    ...['c', '7', '8', 'D', 'M', 'Z', '=', '>', 'N', 'O', '(0', '#8', '%G', ' F', ''].map((final) => escape + final),
    ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)),
    ...Array.from({ length: 33 }, (_, code) => String.fromCharCode(0x7f + code)),
    ...[
      '\u061c',
      '\u200e',
      '\u200f',
      '\u202a',
      '\u202b',
      '\u202c',
      '\u202d',
      '\u202e',
      '\u2066',
      '\u2067',
      '\u2068',
      '\u2069',
    ],
    ...[
      'a\rb',
      'a\r\nb',
      '\b\b\bhidden',
      `${escape}${escape}[2J`,
      `${escape}]0;${escape}[2J\u0007`,
      '\u0085',
      '\u2028',
      '\u2029',
    ],
    '```\n\u001b[2J\n```',
    '| a | b |\n|---|---|\n| \u001b[31m | \u202e |',
    '[link](https://evil.invalid/\u001b]0;x\u0007)',
    '# \u001b[1mheading',
  ];
  return bodies.flatMap((body, at) => (at < 60 ? [`lab ${body} lab`, body] : [`lab ${body} lab`]));
}

/**
 * Everything that a terminal interprets: control characters except line feed and tab, DEL, C1, and direction marks.
 */
const obeyed = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe('the escape lab', () => {
  const texts = nastyTexts();
  const nasty = texts.filter((text) => text.trim() !== '').join(' ');
  let fixture: CliFixture;
  let tree = '';
  let ids: readonly string[] = [];

  beforeAll(async () => {
    fixture = makeCliFixture({ config: instantRepliesConfig, env: { COPPICE_MODEL: 'offline/guide' } });
    const messages = texts
      .filter((text) => text.trim() !== '')
      .map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
    writeFileSync(`${fixture.home}/lab.json`, JSON.stringify({ title: nasty, messages }));
    writeFileSync(`${fixture.home}/bad ${escape}[2J\u202e.json`, `{"${nasty}`);
    await fixture.json(['import', 'lab.json']);
    const shown = await fixture.json(['show', 'last', '--limit', '1000']);
    tree = String(shown['treeId']);
    const nodes: unknown = shown['nodes'];
    ids = Array.isArray(nodes) ? nodes.map((node: { readonly id: string }) => node.id) : [];
    await fixture.json(['bookmark', tree, ids[3] ?? '', nasty.slice(0, 200)]);
    await fixture.json(['edit', tree, ids[5] ?? '', `other ${nasty}`]);
    await fixture.json(['append', '--new', '--title', nasty.slice(0, 200), nasty]);
  });
  afterAll(() => fixture.close());

  it('[O1] has two hundred texts', () => {
    expect(new Set(texts).size).toBeGreaterThanOrEqual(200);
    expect(ids.length).toBeGreaterThan(150);
  });

  /** The lines of each subcommand; long-running ones get an error with a nasty name instead. */
  const linesOf = (): Readonly<Record<string, readonly (readonly string[])[]>> => {
    const [first = '', second = '', third = ''] = ids;
    return {
      append: [
        ['append', tree, nasty],
        ['append', nasty, 'x'],
      ],
      attachments: [['attachments', nasty]],
      backfill: [['backfill']],
      backup: [
        ['backup', `copy ${escape}[2J.db`],
        ['backup', `no such/${nasty.slice(0, 60)}/copy.db`],
      ],
      bookmark: [
        ['bookmark', tree],
        ['bookmark', tree, second, nasty.slice(0, 100)],
        ['bookmark', tree, nasty],
      ],
      buckets: [
        ['buckets', nasty],
        ['buckets', 'add', nasty],
      ],
      branch: [
        ['branch', tree, third, '--summary', nasty],
        ['branch', tree, nasty],
      ],
      chat: [
        ['chat', '-p', tree, nasty],
        ['chat', '-p', '--model', nasty, 'x'],
      ],
      'cherry-pick': [
        ['cherry-pick', tree, second],
        ['cherry-pick', tree, nasty],
      ],
      completion: [
        ['completion', 'bash'],
        ['completion', nasty],
      ],
      config: [
        ['config', 'set', nasty, nasty],
        ['config', 'get', nasty],
      ],
      diff: [
        ['diff', tree, second, third],
        ['diff', tree, ids[5] ?? '', ids[9] ?? ''],
        ['diff', tree, nasty],
      ],
      docs: [['docs'], ['docs', 'models'], ['docs', nasty], ['docs', `models#${nasty}`]],
      doctor: [['doctor'], ['doctor', '--store', `files:${fixture.home}/${nasty.slice(0, 40)}`]],
      edit: [
        ['edit', tree, '@', nasty],
        ['edit', tree, '@', '--in-place', `${nasty} twice`],
        ['edit', nasty, '@', 'x'],
      ],
      export: [
        ['export', tree, '-f', 'markdown'],
        ['export', tree, '-f', 'html'],
        ['export', tree, '-f', 'chatgpt'],
        ['export', tree],
        ['export', '--all', '-f', nasty],
      ],
      fsck: [['fsck'], ['fsck', nasty]],
      import: [
        ['import', `bad ${escape}[2J\u202e.json`],
        ['import', 'lab.json', '--dry-run'],
        ['import', nasty],
      ],
      join: [
        ['join', tree, nasty],
        ['join', nasty, nasty],
      ],
      keys: [['keys'], ['keys', 'remove', nasty], ['keys', 'set', 'mine', '--address', nasty]],
      log: [
        ['log', tree],
        ['log', nasty],
      ],
      ls: [['ls'], ['ls', nasty]],
      mcp: [['mcp', '--store', nasty]],
      merge: [
        ['merge', tree, ids[6] ?? '', '--summary', nasty],
        ['merge', tree, nasty],
      ],
      models: [['models'], ['models', nasty]],
      move: [
        ['move', tree, '@', 'root'],
        ['move', tree, nasty, 'root'],
      ],
      new: [['new', nasty.slice(0, 200), '--system', nasty, '--tag', nasty.slice(0, 60)]],
      open: [['open', nasty]],
      share: [
        ['share', tree],
        ['share', nasty],
      ],
      agents: [['agents'], ['agents', '--project', nasty]],
      pin: [
        ['pin', tree],
        ['pin', nasty],
      ],
      proxy: [
        ['proxy', '--', `no-such-program-${escape}[2J`],
        ['proxy', '--port', nasty],
      ],
      regroup: [
        ['regroup', nasty],
        ['regroup', nasty, '--preview'],
      ],
      rename: [
        ['rename', tree, nasty.slice(0, 200)],
        ['rename', nasty, 'x'],
      ],
      tag: [
        ['tag', tree, nasty.slice(0, 60)],
        ['tag', tree],
      ],
      redo: [
        ['redo', tree],
        ['redo', nasty],
      ],
      regenerate: [
        ['regenerate', tree, '@'],
        ['regenerate', tree, '-m', nasty],
      ],
      restore: [
        ['restore', tree, '--at', '3'],
        ['restore', nasty],
      ],
      rm: [
        ['rm', tree, first, '--dry-run'],
        ['rm', tree, second, '--cascade'],
        ['rm', nasty],
      ],
      search: [
        ['search', 'lab'],
        ['search', nasty.slice(0, 50)],
      ],
      serve: [
        ['serve', '--port', nasty],
        ['serve', '--host', nasty, '--port', '0'],
      ],
      show: [
        ['show', tree, '--limit', '1000'],
        ['show', tree, third],
        ['show', nasty],
      ],
      split: [
        ['split', tree, ids[4] ?? '', '3'],
        ['split', tree, nasty, '3'],
      ],
      switch: [
        ['switch', tree, third],
        ['switch', tree, nasty],
      ],
      token: [['token']],
      trash: [['trash'], ['trash', tree], ['trash', nasty]],
      tree: [
        ['tree', tree],
        ['tree', nasty],
      ],
      trim: [
        ['trim', tree, '--keep', '1'],
        ['trim', nasty, '--keep', '1'],
      ],
      undo: [
        ['undo', tree],
        ['undo', nasty],
      ],
    };
  };

  it('[O1] no subcommand prints a control sequence from stored text, for people or as JSON', async () => {
    const lines = linesOf();
    expect(Object.keys(lines).sort()).toEqual(subcommands.map((member) => member.name).sort());
    for (const member of subcommands) {
      for (const line of lines[member.name] ?? []) {
        for (const words of [line, [...line.slice(0, 1), '--json', ...line.slice(1)]]) {
          const { out, err } = await fixture.run(words);
          const where = `${member.name}: ${JSON.stringify(words).slice(0, 80)}`;
          expect((out + err).length, where).toBeGreaterThan(0);
          expect(
            obeyed.exec(out + err)?.index ?? null,
            `${where}: ${JSON.stringify((out + err).slice(0, 200))}`,
          ).toBeNull();
        }
      }
    }
  });

  it('[O1] an export on standard output has the same data, and the exact text with --raw', async () => {
    const [plain, raw] = [
      await fixture.run(['export', tree, '-f', 'linear']),
      await fixture.run(['export', tree, '-f', 'linear', '--raw']),
    ];
    expect(raw.out).toMatch(obeyed);
    expect(JSON.parse(plain.out)).toEqual(JSON.parse(raw.out));
    const archived = await fixture.run(['export', tree]);
    const again = await fixture.run(['import', '-', '--dry-run', '--strict', '--store', 'memory:'], archived.out);
    expect(again, again.err).toMatchObject({ code: 0 });
  });
});
