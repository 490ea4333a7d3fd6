/** Packs the files of an export into a zip archive while they are written. */
import type { ExportEvent } from '@coppice/content/formats';
import { buildZipDescriptor, buildZipDirectory, buildZipHeader, crc32, type ZipMember } from '@coppice/content/zip';
import { deflateStream } from '#platform/compression';

const encoder = new TextEncoder();

/** Returns a unique name in the archive, so that unpacking overwrites no file. */
function memberName(name: string, used: Set<string>): string {
  // Names come from foreign ids. Only characters that cannot leave the folder are kept.
  const plain =
    name
      .split('/')
      .filter((part) => part !== '' && part !== '.' && part !== '..')
      .join('/') || 'file';
  const [, stem = plain, ending = ''] = /^(.+?)(\.[^./]+)?$/s.exec(plain) ?? [];
  let own = plain;
  for (let count = 2; used.has(own.toLowerCase()); count++) own = `${stem}-${count}${ending}`;
  used.add(own.toLowerCase());
  return own;
}

/** Yields the files of an export as the bytes of one archive. */
export async function* streamZip(events: AsyncIterable<ExportEvent>): AsyncGenerator<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]();
  const members: ZipMember[] = [];
  const used = new Set<string>();
  let at = 0;
  const counted = (bytes: Uint8Array): Uint8Array => {
    at += bytes.length;
    return bytes;
  };
  try {
    let next = await iterator.next();
    while (next.done !== true) {
      if (next.value.type !== 'file') {
        next = await iterator.next();
        continue;
      }
      const member = { name: memberName(next.value.name, used), crc: 0, packed: 0, size: 0, offset: at };
      const body = async function* (): AsyncGenerator<Uint8Array> {
        for (next = await iterator.next(); next.done !== true; next = await iterator.next()) {
          const event = next.value;
          if (event.type === 'file') return;
          if (event.type === 'report') continue;
          const bytes = event.type === 'text' ? encoder.encode(event.text) : event.bytes;
          member.crc = crc32(bytes, member.crc);
          member.size += bytes.length;
          yield bytes;
        }
      };
      yield counted(buildZipHeader({ name: member.name, method: 'deflate' }));
      for await (const packed of deflateStream(body())) {
        member.packed += packed.length;
        yield counted(packed);
      }
      yield counted(buildZipDescriptor(member));
      members.push({ ...member, method: 'deflate' });
    }
    yield* buildZipDirectory(members, at, true);
  } finally {
    await iterator.return?.();
  }
}
