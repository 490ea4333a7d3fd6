// This file uses no Node modules, because the page creates ids too. `crypto.randomUUID` does not exist on a page
// without TLS.

// Random parts for the next ids, generated in batches, because drawing random bytes is the most expensive part of an
// id.
const spareEndings: string[] = [];
const endingsPerBatch = 128;
const bytesEach = 10;
const digits = Array.from({ length: 0x100 }, (_, byte) => (0x100 + byte).toString(16).slice(1));
// If the clock was set back by more than this many milliseconds, new ids use the earlier time. A smaller difference may
// have another reason: many ids within one millisecond take times ahead of the clock.
const mostAheadMs = 1000;
let lastNow = Number.NaN;
// The time in the last id and its hexadecimal form, the random part of the first id of that time, and the ids created
// since.
let lastTime = Number.NEGATIVE_INFINITY;
let timeText = '';
let firstEnding = '';
let idsSince = 0;
let upperTime = Number.NaN;
let upperTimeText = '';

/**
 * Creates a UUID of version 7. Later ids sort later, even within one millisecond, so that rows of one conversation are
 * close together on disk and lists ordered by time keep the order of creation.
 */
export function newId(now: number = Date.now()): string {
  const random = spareEndings.pop() ?? drawEnding();
  if (now !== lastNow) {
    lastNow = now;
    if (now > lastTime || now < lastTime - mostAheadMs) {
      formatId(now, random);
      return timeText + random;
    }
  }
  const count = Number.parseInt(firstEnding.slice(0, 3), 16) + ++idsSince;
  if (count > 0xfff) {
    formatId(lastTime + 1, `000${random.slice(3)}`);
    return timeText + firstEnding;
  }
  return timeText + (0x1000 + count).toString(16).slice(1) + random.slice(3);
}

// Returns the part of a UUID after the time and version: three counting digits and the random part.
function drawEnding(): string {
  const random = crypto.getRandomValues(new Uint8Array(endingsPerBatch * bytesEach));
  for (let at = bytesEach; at < random.length; at += bytesEach) spareEndings.push(formatEnding(random, at));
  return formatEnding(random, 0);
}

function formatEnding(random: Uint8Array, at: number): string {
  // The UUID variant is in the two upper bits of this byte.
  const variant = 0x80 | ((random[at + 2] ?? 0) & 0x3f);
  const spelled = `${hexOfByte(random[at]).slice(1)}${hexOfByte(random[at + 1])}-${hexOfByte(variant)}${hexOfByte(random[at + 3])}-`;
  let end = '';
  for (let more = at + 4; more < at + bytesEach; more++) end += hexOfByte(random[more]);
  return spelled + end;
}

function hexOfByte(byte: number | undefined): string {
  return digits[byte ?? 0] ?? '';
}

// The upper digits of a time change about once a minute and are cached, because formatting only the rest is much
// faster.
function formatId(time: number, after: string): void {
  lastTime = time;
  firstEnding = after;
  idsSince = 0;
  const upper = Math.floor(time / 0x10000);
  if (upper !== upperTime) {
    upperTime = upper;
    upperTimeText = upper.toString(16).padStart(8, '0');
  }
  timeText = `${upperTimeText}-${(0x10000 + (time - upper * 0x10000)).toString(16).slice(1)}-7`;
}
