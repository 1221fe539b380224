/** Bytes of a page of the memory of WebAssembly. */
const PAGE = 65_536
/** The magic number and the version, which come before the sections. */
const PREAMBLE = 8
const MEMORY_SECTION = 5

/**
 * Sets how much memory a WebAssembly module may have. More than that it does not get: what was compiled from Rust then traps, and must not
 * be used again.
 * @param module its binary format (WebAssembly Core Specification 2.0, 5.5.8), with one memory of its own
 * @param maxBytes whole pages of 64 KiB
 * @throws {Error} when it has no memory, several, one that is shared, or needs more from the beginning
 */
export function boundWasm(module: Uint8Array, maxBytes: number): Uint8Array {
  for (let at = PREAMBLE; at < module.length;) {
    const { value: size, end: start } = readNumber(module, at + 1)
    const end = start + size
    if (module[at] !== MEMORY_SECTION) {
      at = end
      continue
    }
    const [count, flags] = module.subarray(start, start + 2)
    const { value: least } = readNumber(module, start + 2)
    if (count !== 1 || (flags !== 0 && flags !== 1)) throw new Error('a WebAssembly module has another kind of memory')
    if (least * PAGE > maxBytes) throw new Error(`a WebAssembly module needs ${least} pages of memory`)
    const section = [1, 1, ...numberOf(least), ...numberOf(maxBytes / PAGE)]
    const written = [MEMORY_SECTION, ...numberOf(section.length), ...section]
    return Buffer.concat([module.subarray(0, at), Buffer.from(written), module.subarray(end)])
  }
  throw new Error('a WebAssembly module has no memory of its own')
}

/** An unsigned number as LEB128 (5.2.2): seven bits a byte, the lowest first; all but the last have the highest bit. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let index = at; index < at + 5; index++) {
    const byte = bytes[index] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (index - at))
    if (byte < 0x80) return { value, end: index + 1 }
  }
  throw new Error('a WebAssembly module is damaged')
}

function numberOf(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...numberOf(Math.floor(value / 0x80))]
}
