// Joins pictures of one size to a moving picture (APNG: wiki.mozilla.org/APNG_Specification).

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `frames` are `{ png, ms }`: the bytes of a picture, and how long it is shown. It plays without end. */
export function movingPicture(frames) {
  const parsed = frames.map(({ png, ms }) => ({ chunks: chunksOf(png), ms }));
  const header = parsed[0].chunks.find(({ type }) => type === "IHDR").data;
  if (parsed.some(({ chunks }) => !chunks.find(({ type }) => type === "IHDR").data.equals(header))) throw new Error("The pictures differ in size or form.");
  const parts = [SIGNATURE, chunk("IHDR", header), chunk("acTL", numbers(frames.length, 0))];
  let sequence = 0;
  parsed.forEach(({ chunks, ms }, at) => {
    const times = Buffer.alloc(6);
    times.writeUInt16BE(ms, 0);
    times.writeUInt16BE(1000, 2); // neither disposed of nor blended: the last two bytes are 0
    parts.push(chunk("fcTL", Buffer.concat([numbers(sequence++), header.subarray(0, 8), numbers(0, 0), times])));
    for (const { data } of chunks.filter(({ type }) => type === "IDAT")) {
      parts.push(at === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([numbers(sequence++), data])));
    }
  });
  return Buffer.concat([...parts, chunk("IEND", Buffer.alloc(0))]);
}

function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

/** The checksum of PNG; `zlib.crc32` came with Node 20.15. */
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function numbers(...values) {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => bytes.writeUInt32BE(value, 4 * at));
  return bytes;
}
