import { setting } from './setting.ts'
import { countryHeader, diskFloor, oneOf, placeSources, retention } from './values.ts'

/** What is recorded of a visit, and how. */
export const scanSettings = {
  scanSync: setting({
    name: 'SCAN_SYNC',
    fallback: 'process',
    parse: oneOf({ process: 'process' as const, power: 'power' as const }),
    allowed: '`process` or `power`',
    doc: 'durability of the scan of an answered visit: it survives the end of the process (also `kill -9`), or power loss as well',
  }),
  scanRetention: setting({
    name: 'SCAN_RETENTION',
    fallback: 'forever',
    parse: retention,
    allowed: '`forever` or a number of days such as `90d`',
    doc: 'how long raw scans are stored; the daily counts stay',
  }),
  diskFloor: setting({
    name: 'DISK_FLOOR',
    fallback: 'auto',
    parse: diskFloor,
    allowed: '`auto`, `off`, or a size such as `500M` or `2G`',
    doc: 'free space of the disk of `DATA_DIR` below which visits count, but are not stored one by one ([disk](capacity.md#disk)); `auto`: 5 % of the disk, `1G` at most',
  }),
  geoipDb: setting({
    name: 'GEOIP_DB',
    fallback: 'bundled',
    parse: placeSources,
    allowed: '`off`, or a comma-separated list of .mmdb files, https URLs of them (also .mmdb.gz) and `bundled`',
    doc: 'databases of countries and cities; the first with a result is used. URLs are downloaded again each month; `{YYYY}` and `{MM}` in them are replaced by the year and the month',
  }),
  geoHeaders: setting({
    name: 'GEO_HEADERS',
    fallback: undefined,
    parse: countryHeader,
    allowed: '`cloudflare`, `vercel` or `cloudfront`',
    doc: 'content delivery network whose country header is trusted on requests from `TRUST_PROXY`',
  }),
}
