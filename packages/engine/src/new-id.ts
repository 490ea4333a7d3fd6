// Nothing of Node in here: pages make ids by it, too. `crypto.randomUUID` is not there on a page that came without TLS.

// The random parts of ids to come. Drawn many at a time: asking for each costs more than all else about an id.
const ahead: string[] = [];
const drawn = 128;
const bytesEach = 10;
const digits = Array.from({ length: 0x100 }, (_, byte) => (0x100 + byte).toString(16).slice(1));
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
      formatId(now, random);
      return stamp + random;
    }
  }
  const count = Number.parseInt(first.slice(0, 3), 16) + ++since;
  if (count > 0xfff) {
    formatId(said + 1, `000${random.slice(3)}`);
    return stamp + first;
  }
  return stamp + (0x1000 + count).toString(16).slice(1) + random.slice(3);
}

// The end of a UUID: three digits that count up, and what is random in any case.
function draw(): string {
  const random = crypto.getRandomValues(new Uint8Array(drawn * bytesEach));
  for (let at = bytesEach; at < random.length; at += bytesEach) ahead.push(ending(random, at));
  return ending(random, 0);
}

function ending(random: Uint8Array, at: number): string {
  // The variant of a UUID stands in the two upper bits of this byte.
  const variant = 0x80 | ((random[at + 2] ?? 0) & 0x3f);
  const spelled = `${spell(random[at]).slice(1)}${spell(random[at + 1])}-${spell(variant)}${spell(random[at + 3])}-`;
  let end = '';
  for (let more = at + 4; more < at + bytesEach; more++) end += spell(random[more]);
  return spelled + end;
}

function spell(byte: number | undefined): string {
  return digits[byte ?? 0] ?? '';
}

// The upper digits of a time are those of the minute and are kept: small numbers are put into digits far quicker.
function formatId(time: number, after: string): void {
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
