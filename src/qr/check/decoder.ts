import { readFileSync } from 'node:fs'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { toPgm, type Gray } from './gray.ts'

/** Whether an image has a QR code of exactly these bytes. */
export type Decoder = (image: Gray, bytes: Uint8Array) => Promise<boolean>

/** Loads the decoder from the installed package; by default it would fetch its code from the network. */
export async function openDecoder(): Promise<Decoder> {
  const file = readFileSync(new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(file).buffer }, fireImmediately: true })
  return async (image, bytes) => {
    const found = await readBarcodes(toPgm(image), { formats: ['QRCode'], maxNumberOfSymbols: 2 })
    return found.some((each) => each.isValid && Buffer.compare(each.bytes, bytes) === 0)
  }
}
