export { startEveryDevice } from '../every-device.ts'
