import { randomUUID } from 'node:crypto';

// The random parts of ids to come. Drawn many at a time: asking for each costs more than all else about an id.
const ahead: string[] = [];
const drawn = 128;
// A clock that is set back by more than this is followed; by less it may be the time that ids of a full millisecond took.
const mostAhead = 1000;
let asked = Number.NaN;
// The time that the last id says, and what stands for it; how the first id of that time goes on; the ids made since.
let said = Number.NEGATIVE_INFINITY;
let stamp = '';
let first = '';
let since = 0;
let span = Number.NaN;
let spanText = '';

/**
 * A fresh UUID of version 7. Ids made later sort later, those of one millisecond too, so that rows of one conversation lie
 * together on disk and lists that are ordered by time keep the order in which things were made.
 */
export function newId(now: number = Date.now()): string {
  const random = ahead.pop() ?? draw();
  if (now !== asked) {
    asked = now;
    if (now > said || now < said - mostAhead) {
      say(now, random);
      return stamp + random;
    }
  }
  const count = Number.parseInt(first.slice(0, 3), 16) + ++since;
  if (count > 0xfff) {
    say(said + 1, `000${random.slice(3)}`);
    return stamp + first;
  }
  return stamp + (0x1000 + count).toString(16).slice(1) + random.slice(3);
}

// The end of a UUID: three digits that count up, and what is random in any case.
function draw(): string {
  for (let more = 1; more < drawn; more++) ahead.push(randomUUID().slice(15));
  return randomUUID().slice(15);
}

// The upper digits of a time are those of the minute and are kept: small numbers are put into digits far quicker.
function say(time: number, after: string): void {
  said = time;
  first = after;
  since = 0;
  const upper = Math.floor(time / 0x10000);
  if (upper !== span) {
    span = upper;
    spanText = upper.toString(16).padStart(8, '0');
  }
  stamp = `${spanText}-${(0x10000 + (time - upper * 0x10000)).toString(16).slice(1)}-7`;
}

/** Sixteen bytes in the usual spelling. */
export function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
