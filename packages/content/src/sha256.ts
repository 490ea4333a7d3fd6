// SHA-256 by FIPS 180-4. It is implemented here because equality keys are needed synchronously, and the built-in
// SHA-256 of browsers is asynchronous. Node's SHA-256 is eight times as fast, so the stores set it in Node by {@link
// setPlatformSha256Loader}.
import { utf8Length } from '@coppice/core';
import { writeUtf8 } from './utf8.ts';

/** Writes the first 32 bits of the fractional parts of the square (or cube) roots of the first primes, exactly. */
function fillRootFractions(words: Int32Array, root: 2 | 3): void {
  let found = 0;
  for (let candidate = 2; found < words.length; candidate++) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) prime = false;
    if (prime) words[found++] = Number(BigInt.asIntN(32, integerRoot(BigInt(candidate) << BigInt(32 * root), root)));
  }
}

/**
 * Returns the largest integer whose square (or cube) is at most `value`. Doubles are not precise enough for the cube
 * roots.
 */
function integerRoot(value: bigint, root: 2 | 3): bigint {
  let low = 0n;
  let high = 1n << 40n;
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** BigInt(root) <= value) low = middle;
    else high = middle - 1n;
  }
  return low;
}

const initial = new Int32Array(8);
// `?? 0` below only satisfies the type checker: every index is in bounds, and V8 removes the check.
const constants = new Int32Array(64);
// The constants are computed at the first hash, because a program with the platform's SHA-256 never needs them.
let isFilled = false;
const schedule = new Int32Array(64);
const state = new Int32Array(8);

// Large enough for nearly every message. A larger message gets a temporary buffer, so that 10 MB are not kept in
// memory.
const scratch = new Uint8Array(64 * 1024);

/** The maximum number of bytes that padding adds: one marker, up to 63 zeros, and eight bytes of length. */
const paddingSpace = 72;

// Every sum is truncated to 32 bits immediately. Otherwise it would leave the integer range and cost a fifth of the
// speed.
function compress(bytes: Uint8Array, start: number): void {
  const w = schedule;
  const k = constants;
  for (let index = 0, at = start; index < 16; index++, at += 4) {
    w[index] =
      ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  }
  for (let index = 16; index < 64; index++) {
    const early = w[index - 15] ?? 0;
    const late = w[index - 2] ?? 0;
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    w[index] = ((((w[index - 16] ?? 0) + s0) | 0) + (((w[index - 7] ?? 0) + s1) | 0)) | 0;
  }
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let index = 0; index < 64; index++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = g ^ (e & (f ^ g));
    const t1 = (((((h + s1) | 0) + choice) | 0) + (((k[index] ?? 0) + (w[index] ?? 0)) | 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (c & (a ^ b));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + ((s0 + majority) | 0)) | 0;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
  state[5] = (state[5] ?? 0) + f;
  state[6] = (state[6] ?? 0) + g;
  state[7] = (state[7] ?? 0) + h;
}

/** Hashes the first `length` bytes. The buffer must have {@link paddingSpace} more bytes, which are overwritten. */
function digest(buffer: Uint8Array, length: number): string {
  if (!isFilled) {
    fillRootFractions(initial, 2);
    fillRootFractions(constants, 3);
    isFilled = true;
  }
  const end = (length + 9 + 63) & ~63;
  buffer[length] = 0x80;
  buffer.fill(0, length + 1, end);
  // The length in bits is a 64-bit number. Shifts work on 32 bits, so the upper half is computed by division.
  const upper = Math.floor(length / 0x20000000);
  const lower = length << 3;
  for (let byte = 0; byte < 4; byte++) {
    buffer[end - 8 + byte] = upper >>> (24 - 8 * byte);
    buffer[end - 4 + byte] = lower >>> (24 - 8 * byte);
  }
  state.set(initial);
  for (let start = 0; start < end; start += 64) compress(buffer, start);
  let hex = '';
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0');
  return hex;
}

/** A SHA-256 of the platform: takes a text as UTF-8 or bytes, returns hex digits. */
export type PlatformSha256 = (input: string | Uint8Array) => string;

let native: PlatformSha256 | undefined;
let loadNative: (() => PlatformSha256 | undefined) | undefined;

// Texts and their digests: empty, plain, with characters of two and four bytes, and a lone surrogate.
const probes = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['\u00e9\ud83c\udf33', 'cf5a2f48cc3729d6f1dc9b2c739e18504844332cc30680f01a3b0406a6963fc4'],
  ['\ud800', '83d544ccc223c057d2bf80d3f2a32982c32c3c0db8e2674820da5064783fb097'],
] as const;

/** Sets the SHA-256 of the platform for all further hashes. Throws if its digests differ, because keys are stored. */
export function setPlatformSha256(platform: PlatformSha256): void {
  for (const [text, digest] of probes)
    if (platform(text) !== digest)
      throw new Error('The hash function of the platform does not compute SHA-256 of UTF-8 text.');
  native = platform;
}

/**
 * Like {@link setPlatformSha256}, but the SHA-256 is loaded at the first hash; undefined means that the platform has
 * none. The first hash throws if the digests differ.
 */
export function setPlatformSha256Loader(load: () => PlatformSha256 | undefined): void {
  loadNative = load;
}

function useLoaded(load: () => PlatformSha256 | undefined): void {
  const platform = load();
  if (platform !== undefined) setPlatformSha256(platform);
  loadNative = undefined;
}

/**
 * Computes SHA-256 of a text as UTF-8 or of bytes, as 64 hex digits. Synchronous, and the same in Node and browsers. A
 * lone surrogate is hashed as U+FFFD, so escape it first if it must be distinguished.
 */
export function sha256Hex(input: string | Uint8Array): string {
  if (loadNative !== undefined) useLoaded(loadNative);
  return native === undefined ? portableSha256Hex(input) : native(input);
}

/** Computes SHA-256 without the platform, for example in a browser. */
export function portableSha256Hex(input: string | Uint8Array): string {
  if (typeof input !== 'string') {
    const space = input.length + paddingSpace;
    const buffer = space <= scratch.length ? scratch : new Uint8Array(space);
    buffer.set(input);
    return digest(buffer, input.length);
  }
  const worst = input.length * 3 + paddingSpace;
  const buffer = worst <= scratch.length ? scratch : new Uint8Array(utf8Length(input) + paddingSpace);
  return digest(buffer, writeUtf8(input, buffer));
}
