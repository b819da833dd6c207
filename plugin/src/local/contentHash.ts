/**
 * BLAKE2b with 128 bits (RFC 7693), the hash by which the server knows the content of a file. Browsers have
 * none of it. Words of 64 bits are two of 32, because integers of that size are slow here.
 */

const HASH_BYTES = 16;
const BLOCK = 128;
const ROUNDS = 12;
/** The fractional parts of the square roots of the first eight primes, the low half of each first. */
const INITIAL = [
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a,
  0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
];
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
/** The columns and then the diagonals of the state. */
const MIXED = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
] as const;

const state = new Uint32Array(32);
const message = new Uint32Array(32);

/** The hash of the bytes. */
export function contentHash(bytes: Uint8Array): Uint8Array {
  const hash = Uint32Array.from(INITIAL);
  hash[0] = (hash[0] ?? 0) ^ 0x01010000 ^ HASH_BYTES; // no key, one leaf
  const block = new Uint8Array(BLOCK);
  const view = new DataView(block.buffer);
  const last = Math.max(0, Math.ceil(bytes.length / BLOCK) - 1);
  for (let at = 0; at <= last; at += 1) {
    const part = bytes.subarray(at * BLOCK, (at + 1) * BLOCK);
    block.fill(0);
    block.set(part);
    for (let n = 0; n < 32; n += 1) message[n] = view.getUint32(4 * n, true);
    compress(hash, at * BLOCK + part.length, at === last);
  }
  const found = new DataView(new ArrayBuffer(HASH_BYTES));
  for (let n = 0; n < HASH_BYTES / 4; n += 1) found.setUint32(4 * n, hash[n] ?? 0, true);
  return new Uint8Array(found.buffer);
}

function compress(hash: Uint32Array, length: number, isLast: boolean): void {
  state.set(hash);
  state.set(INITIAL, 16);
  state[24] = (state[24] ?? 0) ^ length;
  state[25] = (state[25] ?? 0) ^ Math.floor(length / 2 ** 32);
  if (isLast) {
    state[28] = ~(state[28] ?? 0);
    state[29] = ~(state[29] ?? 0);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = SIGMA[round % SIGMA.length] ?? [];
    MIXED.forEach(([a, b, c, d], at) => mix(2 * a, 2 * b, 2 * c, 2 * d, 2 * (order[2 * at] ?? 0), 2 * (order[2 * at + 1] ?? 0)));
  }
  for (let n = 0; n < 16; n += 1) hash[n] = (hash[n] ?? 0) ^ (state[n] ?? 0) ^ (state[n + 16] ?? 0);
}

/** The function G of the RFC, on words at these places of the state, with two words of the message. */
function mix(a: number, b: number, c: number, d: number, x: number, y: number): void {
  add(a, b, x);
  rotate(d, a, 32);
  add(c, d);
  rotate(b, c, 24);
  add(a, b, y);
  rotate(d, a, 16);
  add(c, d);
  rotate(b, c, 63);
}

/** Adds the word at `other`, and one of the message, to the word at `to`. */
function add(to: number, other: number, of = -1): void {
  const low = (state[to] ?? 0) + (state[other] ?? 0) + (of < 0 ? 0 : (message[of] ?? 0));
  const high = (state[to + 1] ?? 0) + (state[other + 1] ?? 0) + (of < 0 ? 0 : (message[of + 1] ?? 0));
  state[to] = low;
  state[to + 1] = high + Math.floor(low / 2 ** 32);
}

/** Makes the word at `to` its exclusive or with the one at `other`, rotated right by `bits`. */
function rotate(to: number, other: number, bits: number): void {
  const low = (state[to] ?? 0) ^ (state[other] ?? 0);
  const high = (state[to + 1] ?? 0) ^ (state[other + 1] ?? 0);
  const [first, second] = bits < 32 ? [low, high] : [high, low];
  const rest = bits % 32;
  state[to] = rest ? (first >>> rest) | (second << (32 - rest)) : first;
  state[to + 1] = rest ? (second >>> rest) | (first << (32 - rest)) : second;
}
