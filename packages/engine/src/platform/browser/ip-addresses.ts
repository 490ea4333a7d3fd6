/** The part of Node's IP address functions that the engine uses, without Node. */

/** Returns 4 or 6 for an IP address, and 0 for other texts. */
export function isIP(text: string): 0 | 4 | 6 {
  if (bitsOfIpv4(text) !== null) return 4;
  return bitsOfIpv6(text) === null ? 0 : 6;
}

/** A list of networks, against which addresses are checked. */
export class BlockList {
  readonly #networks: { readonly type: 'ipv4' | 'ipv6'; readonly bits: bigint; readonly prefix: number }[] = [];

  addSubnet(network: string, prefix: number, type: 'ipv4' | 'ipv6'): void {
    const bits = bitsOf(network, type);
    if (bits === null) throw new TypeError(`${network} is no address.`);
    this.#networks.push({ type, bits, prefix });
  }

  check(address: string, type: 'ipv4' | 'ipv6'): boolean {
    const bits = bitsOf(address, type);
    const length = type === 'ipv4' ? 32 : 128;
    return (
      bits !== null &&
      this.#networks.some((network) => {
        const shift = BigInt(length - network.prefix);
        return network.type === type && bits >> shift === network.bits >> shift;
      })
    );
  }
}

function bitsOf(address: string, type: 'ipv4' | 'ipv6'): bigint | null {
  return type === 'ipv4' ? bitsOfIpv4(address) : bitsOfIpv6(address);
}

function bitsOfIpv4(text: string): bigint | null {
  const parts = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(text)?.slice(1) ?? [];
  if (parts.length !== 4 || parts.some((part) => Number(part) > 255)) return null;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOfIpv6(text: string): bigint | null {
  // A zone, as in `fe80::1%eth0`, is not part of the address.
  const plain = text.replace(/%[^%]+$/, '');
  if (!/^[0-9a-f:.]+$/i.test(plain) || !plain.includes(':')) return null;
  // The URL parser knows every notation, and returns the shortest one without dots.
  if (!URL.canParse(`http://[${plain}]`)) return null;
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (part: string) => part.split(':').filter((group) => group !== '');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
