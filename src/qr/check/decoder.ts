import { readFileSync } from 'node:fs'
import { prepareZXingModule, readBarcodes, type ZXingReaderModule } from 'zxing-wasm/reader'
import { toPgm, type Gray } from './gray.ts'

/** Whether an image has a QR code of exactly these bytes. */
export type Decoder = (image: Gray, bytes: Uint8Array) => Promise<boolean>

/** Loads the decoder from the installed package; by default it would fetch its code from the network. */
export async function openDecoder(): Promise<Decoder> {
  const file = readFileSync(new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  const overrides = { wasmBinary: new Uint8Array(file).buffer }
  const freeResults = ownResults(await prepareZXingModule({ overrides, fireImmediately: true }))
  return async (image, bytes) => {
    const found = await readBarcodes(toPgm(image), { formats: ['QRCode'], maxNumberOfSymbols: 2 })
    freeResults()
    return found.some((each) => each.isValid && Buffer.compare(each.bytes, bytes) === 0)
  }
}

/**
 * The package (3.1) copies the results of a call, but does not delete them, which keeps their memory in WebAssembly and
 * their byte arrays for ever.
 * @returns deletes the results of all calls until then, which were copied when the calls returned
 */
function ownResults(zxing: ZXingReaderModule): () => void {
  const read = zxing.readBarcodesFromImage.bind(zxing)
  const results: object[] = []
  zxing.readBarcodesFromImage = (...args) => {
    const result = read(...args)
    results.push(result)
    return result
  }
  return () => {
    // Each object of a C++ class has this method (Embind), though the package does not declare it.
    for (const result of results.splice(0)) (result as { delete: () => void }).delete()
  }
}
