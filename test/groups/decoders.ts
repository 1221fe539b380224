// What decoders read of the codes.
import '../bulk-zip.test.ts'
import '../decoder-matrix.test.ts'
import '../decoders.test.ts'
import '../grades.test.ts'
import '../qr-scripts.test.ts'
import '../qrencode.test.ts'
