/** Checks the Dockerfile and the Compose files without Docker. */
import { parse } from 'yaml';

/** An instruction of a Dockerfile, such as `RUN`, and its text. */
export interface DockerInstruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of a Dockerfile, without comments and with continued lines joined. */
export function readDockerfile(text: string): readonly DockerInstruction[] {
  return text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { name: name.toUpperCase(), text: rest };
    });
}

/** Returns the words of an instruction in exec form; null for a shell line. */
export function parseExecForm(text: string): readonly string[] | null {
  if (!text.startsWith('[')) return null;
  const words: unknown = JSON.parse(text);
  return isTexts(words) ? words : null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Returns whether an image names a version other than `latest`. */
function isPinned(image: string): boolean {
  return /:[^:/]*\d[^:/]*$/.test(image);
}

/** Returns the problems of a Dockerfile, one sentence each. */
export function checkDockerfile(text: string): readonly string[] {
  const all = readDockerfile(text);
  const starts = all.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []));
  const last = all.slice(starts.at(-1) ?? 0);
  const only = (name: string) => last.filter((each) => each.name === name).map((each) => each.text);
  const found: string[] = [];
  const demand = (right: boolean, sentence: string) => {
    if (!right) found.push(sentence);
  };
  demand(starts.length > 1, 'There is only one stage.');
  for (const at of starts) {
    const [image = ''] = (all[at]?.text ?? '').split(' ');
    demand(isPinned(image), `${image} has no version.`);
  }
  demand(!/^(?:|root|0)(?::|$)/.test(only('USER').at(-1) ?? ''), 'The image runs as root.');
  const user = last.findIndex(({ name }) => name === 'USER');
  demand(!last.slice(user + 1).some(({ name }) => /^(?:RUN|COPY|ADD)$/.test(name)), 'Files change after USER.');
  demand(only('VOLUME').includes('/data'), 'There is no volume /data.');
  demand(only('ENV').includes('HOME=/data'), 'The home directory is not on the volume.');
  demand(only('EXPOSE').length === 1, 'There is no port.');
  demand(
    only('HEALTHCHECK').some((each) => each.includes('/healthz')),
    'There is no health check of /healthz.',
  );
  for (const name of ['ENTRYPOINT', 'CMD'])
    demand(only(name).length === 1 && parseExecForm(only(name)[0] ?? '') !== null, `${name} is not in exec form.`);
  for (const { name, text: said } of all)
    demand(!/^(?:ENV|ARG)$/.test(name) || !/TOKEN|SECRET|PASSWORD|KEY/.test(said), `${name} ${said} is a secret.`);
  return found;
}

/** The fields of a Compose service that are checked. */
export interface ComposeService {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the services of a Compose file, with their anchors merged. */
export function readCompose(text: string): readonly ComposeService[] {
  const file: { readonly services?: Readonly<Record<string, Readonly<Record<string, unknown>>>> } = parse(text, {
    merge: true,
  });
  return Object.entries(file.services ?? {}).map(([name, fields]) => {
    const { image, command } = fields;
    return { name, image: typeof image === 'string' ? image : '', command: isTexts(command) ? command : [], fields };
  });
}

/**
 * Returns the variables that the user of a Compose file must set. Throws on a variable without an error message
 * (`${NAME:?message}`), even if it has a default.
 */
export function findRequiredVariables(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [whole, name = '', rest = ''] of text.matchAll(/\$\{(\w+)([^}]*)\}/g)) {
    if (!rest.startsWith(':?')) throw new Error(`${whole} may be missing.`);
    found.add(name);
  }
  return found;
}

/** Returns the problems of a Compose file, one sentence each. */
export function checkCompose(text: string): readonly string[] {
  const has = (list: unknown, text: string) => isTexts(list) && list.includes(text);
  return readCompose(text).flatMap(({ name, image, fields }) => {
    const found: string[] = [];
    const demand = (right: boolean, sentence: string) => {
      if (!right) found.push(`${name}: ${sentence}`);
    };
    demand(isPinned(image), 'the image has no version.');
    demand(fields['restart'] === 'unless-stopped', 'it does not start again.');
    demand(fields['privileged'] === undefined, 'it is privileged.');
    if (!image.startsWith('coppice:')) return found;
    demand(fields['read_only'] === true, 'the root is not read-only.');
    demand(has(fields['tmpfs'], '/tmp'), 'there is no /tmp.');
    demand(has(fields['cap_drop'], 'ALL'), 'capabilities are kept.');
    demand(has(fields['security_opt'], 'no-new-privileges:true'), 'it may gain privileges.');
    demand(has(fields['volumes'], 'data:/data'), 'there is no volume at /data.');
    const ports = isTexts(fields['ports']) ? fields['ports'] : [];
    demand(
      ports.every((port) => port.startsWith('127.0.0.1:')),
      'it is open to others without TLS.',
    );
    return found;
  });
}
