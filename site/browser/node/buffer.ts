/** Implements the part of Node's `Buffer` that the server's code uses. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function fromBinary(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function bytesOf(text: string, encoding: string): Uint8Array {
  if (encoding === 'hex') return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  if (encoding === 'base64' || encoding === 'base64url')
    return fromBinary(atob(text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '')));
  if (encoding === 'latin1' || encoding === 'binary') return fromBinary(text);
  return encoder.encode(text);
}

export class ByteBuffer extends Uint8Array {
  /** Returns the bytes of a text, a copy of bytes, or a view of a buffer. */
  static override from(source: unknown, encodingOrOffset?: unknown, length?: unknown): ByteBuffer {
    if (typeof source === 'string')
      return new ByteBuffer(bytesOf(source, typeof encodingOrOffset === 'string' ? encodingOrOffset : 'utf8'));
    if (source instanceof ArrayBuffer) {
      const offset = typeof encodingOrOffset === 'number' ? encodingOrOffset : 0;
      return new ByteBuffer(source, offset, typeof length === 'number' ? length : source.byteLength - offset);
    }
    if (source instanceof Uint8Array || Array.isArray(source)) return new ByteBuffer(source);
    throw new TypeError('These are no bytes.');
  }

  static alloc(size: number): ByteBuffer {
    return new ByteBuffer(size);
  }

  static byteLength(text: string): number {
    return encoder.encode(text).byteLength;
  }

  static isBuffer(value: unknown): value is ByteBuffer {
    return value instanceof ByteBuffer;
  }

  static concat(pieces: readonly Uint8Array[]): ByteBuffer {
    const whole = new ByteBuffer(pieces.reduce((size, piece) => size + piece.byteLength, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  }

  override toString(encoding = 'utf8'): string {
    if (encoding === 'hex') return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (encoding !== 'base64' && encoding !== 'base64url') return decoder.decode(this);
    let binary = '';
    for (const byte of this) binary += String.fromCharCode(byte);
    const text = btoa(binary);
    return encoding === 'base64' ? text : text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }
}
