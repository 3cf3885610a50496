import { crc32, deflateRawSync } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800;
const DEFLATE = 8;
/** 1 January 1980, the first day that the format knows: equal files give equal archives. */
const FIRST_DAY = 0x0021;

/**
 * Writes a ZIP archive. Equal files give equal archives.
 *
 * @param files Contents by path, with forward slashes.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT sections 4.3.7, 4.3.12 and 4.3.16
 */
export function zipArchive(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content);
    // Version, flags, method, time, date, checksum, sizes, length of the name, of the extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8_FLAG, 2);
    common.writeUInt16LE(DEFLATE, 4);
    common.writeUInt16LE(FIRST_DAY, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.concat([signature(LOCAL_HEADER), common, name, packed]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([signature(CENTRAL_HEADER), Buffer.from([VERSION, 0]), common, central, name]));
    parts.push(entry);
    offset += entry.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.size, 4);
  end.writeUInt16LE(files.size, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, signature(END_OF_DIRECTORY), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
