const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_LENGTH = 6;

/** Account address of Celestia: 20 bytes as bech32 (BIP 173) with the prefix of the network. */
export function encodeAddress(bytes: Uint8Array, prefix = 'celestia'): string {
  const words = toWords(bytes);
  return `${prefix}1${toText([...words, ...checksumOf(prefix, words)])}`;
}

/**
 * Why a text is no account address, in the words of the Cosmos SDK; undefined when it is one. The network's programs accept
 * `celestia` and `celestiavaloper`.
 */
export function refuseAddress(text: string): string | undefined {
  const separator = text.lastIndexOf('1');
  if (separator < 1 || separator + CHECKSUM_LENGTH >= text.length)
    return `decoding bech32 failed: invalid separator index ${separator}`;
  const prefix = text.slice(0, separator);
  const words = Array.from(text.slice(separator + 1), (letter) => ALPHABET.indexOf(letter));
  const wrong = words.indexOf(-1);
  if (wrong >= 0)
    return `decoding bech32 failed: invalid character not part of charset: ${text.charCodeAt(separator + 1 + wrong)}`;
  const given = toText(words.slice(-CHECKSUM_LENGTH));
  const expected = toText(checksumOf(prefix, words.slice(0, -CHECKSUM_LENGTH)));
  if (given !== expected)
    return `decoding bech32 failed: invalid checksum (expected ${expected} got ${given})`;
  if (!prefix.startsWith('celestia')) return `invalid Bech32 prefix; expected celestia, got ${prefix}`;
  return undefined;
}

function toText(words: readonly number[]): string {
  return words.map((word) => ALPHABET[word]).join('');
}

/** Groups bits in fives, the last group filled with zeros. */
function toWords(bytes: Uint8Array): number[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => parseInt(group.padEnd(5, '0'), 2));
}

function checksumOf(prefix: string, words: readonly number[]): number[] {
  const letters = Array.from(prefix, (letter) => letter.charCodeAt(0));
  const expanded = [...letters.map((code) => code >> 5), 0, ...letters.map((code) => code & 31)];
  const sum = polymod([...expanded, ...words, ...Array<number>(CHECKSUM_LENGTH).fill(0)]) ^ 1;
  return Array.from({ length: CHECKSUM_LENGTH }, (_, index) => (sum >> (5 * (5 - index))) & 31);
}

function polymod(words: readonly number[]): number {
  let sum = 1;
  for (const word of words) {
    const top = sum >> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ word;
    GENERATOR.forEach((each, bit) => {
      if ((top >> bit) & 1) sum ^= each;
    });
  }
  return sum;
}
