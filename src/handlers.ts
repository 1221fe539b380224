import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { reportRoute, securityRoute } from './abuse/routes.ts'
import type { Config } from './config/config.ts'
import { tlsAskRoute } from './domains/tls-ask.ts'
import { domainRoutes } from './domains/routes.ts'
import { healthRoutes } from './http/health.ts'
import { metricsRoute, type MetricsNeeds } from './http/metrics.ts'
import type { Readings } from './http/read-metrics.ts'
import { openApiRoute, problemsRoute, type DescribeApi } from './http/openapi.ts'
import { throttle } from './lib/throttle.ts'
import { availabilityRoute } from './links/availability.ts'
import { bulkRoute } from './links/api/bulk-routes.ts'
import { changesRoute } from './links/api/change-many-routes.ts'
import { historyRoutes } from './links/api/history-routes.ts'
import { rotationRoutes } from './links/api/rotation-routes.ts'
import { creationRoute, manageRoutes } from './links/api/routes.ts'
import { designRoute } from './qr/design-route.ts'
import { codesPageRoute } from './web/print/archive-route.ts'
import { collectionLabelsRoute, linkLabelsRoute } from './web/print/label-routes.ts'
import { calibrationRoute, printSheetRoute } from './print/routes.ts'
import { printRoute } from './qr/print-route.ts'
import { codeImageRoutes, dataImageRoute } from './qr/routes.ts'
import { streamRoutes } from './scans/api/stream-route.ts'
import type { Services } from './services.ts'
import { manyStatsRoute } from './scans/api/many-routes.ts'
import { ownerAccess } from './scans/access.ts'
import { bundleRoutes } from './scans/api/bundle-route.ts'
import { exportRoutes, statsRoutes } from './scans/api/routes.ts'
import { shareAccess } from './shares/access.ts'
import { collectionExportRoutes } from './collections/export-routes.ts'
import { archiveRoutes } from './collections/archive-routes.ts'
import { collectionChangesRoutes } from './collections/change-routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import { sheetRoutes } from './collections/spreadsheet/routes.ts'
import { collectionStatsRoutes } from './collections/stats-routes.ts'
import { collectionShareRoutes } from './shares/collection-routes.ts'
import { shareRoutes } from './shares/routes.ts'
import { passwordFileRoutes, passwordRoutes } from './visits/password-routes.ts'
import { fileRoutes } from './visits/file-routes.ts'
import { pictureRoute } from './visits/picture-route.ts'
import { previewRoute, visitRoutes } from './visits/routes.ts'
import { accentRoute } from './web/accent-route.ts'
import { readAssets, type Assets } from './web/assets.ts'
import { docsRoute } from './web/docs/routes.ts'
import { lookImageRoute } from './web/collection/look-route.ts'
import { spreadsheetRoute } from './web/collection/spreadsheet-routes.ts'
import { collectionPageRoutes } from './web/collection/routes.ts'
import { bulkPageRoutes } from './web/bulk/routes.ts'
import { domainPageRoutes } from './web/domains/routes.ts'
import { homeRoutes } from './web/home-routes.ts'
import { ownerPageRoutes } from './web/owner/routes.ts'
import { printPageRoute } from './web/owner/print/routes.ts'
import { tryPageRoute } from './web/owner/try/routes.ts'
import { reportPageRoutes } from './web/report-routes.ts'
import { privacyRoute } from './web/privacy.ts'
import { siteFiles } from './web/site-files.ts'
import { statisticsFileRoutes } from './web/statistics/file-routes.ts'
import { sharePageRoute } from './web/share-routes.ts'
import type { Instance } from './instance.ts'

/** The handlers of the routes, by audience. */
export interface Handlers {
  operator: ReturnType<typeof operatorHandlers>
  visitor: ReturnType<typeof visitorHandlers>
  program: ReturnType<typeof programHandlers>
  browser: ReturnType<typeof browserHandlers>
}

/** Hands each route what it needs of the services. */
export function createHandlers(
  config: Config,
  services: Services,
  { describe, metrics, log }: Pick<Instance, 'describe' | 'metrics'> & { log: FastifyBaseLogger },
): Handlers {
  return {
    operator: operatorHandlers(config, services, { metrics, log }),
    visitor: visitorHandlers(services),
    program: programHandlers(describe, services),
    browser: browserHandlers({ log, describe }, config, services),
  }
}

function operatorHandlers(
  { contact }: Config,
  services: Services,
  { metrics, log }: Pick<MetricsNeeds, 'metrics'> & { log: FastifyBaseLogger },
) {
  const { now, monotonic, origin, domains, client } = services
  const isInternal = (request: IncomingMessage) =>
    client.isInternal(request) && origin.isTrustedHost(request.headers.host)
  return {
    health: healthRoutes(services),
    metrics: metricsRoute({
      metrics: [...services.metrics, ...metrics],
      isInternal,
      onFailed: logFailed(log, monotonic),
    }),
    securityTxt: securityRoute({ now, origin, contact }),
    tlsAsk: tlsAskRoute({ domains, isInternal }),
  }
}

const LOG_FAILED_MS = 60_000

/** Logs the metrics that cannot be read, once a minute at most. */
function logFailed(log: FastifyBaseLogger, monotonic: () => number): MetricsNeeds['onFailed'] {
  return throttle(LOG_FAILED_MS, monotonic, (failed: Readings['failed']) =>
    log.error(
      { err: failed[0]?.error, metrics: failed.map(({ name }) => name) },
      'metrics cannot be read, and are left out',
    ),
  )
}

function visitorHandlers({ visits, scans, links, qr, limits, origin }: Services) {
  const { linkOf } = visits
  const { chargeGuess, chargeNotFound, holderOf, turnToRender, isTurnFree } = limits
  const visiting = { ...visits, record: scans.record, recordScan: scans.recordScan, origin, turnToRender, isTurnFree }
  const password = { ...visiting, verify: links.passwords.verify, chargeGuess, chargeNotFound, holderOf }
  const { images, codeText, designs } = qr
  const limitImages = limits.each('qr')
  const image = { origin, images, codeText, designOf: designs.of, linkOf, limitImages, holderOf: limits.holderOf }
  return {
    visit: visitRoutes(visiting),
    password: { visit: passwordRoutes(password), files: passwordFileRoutes(password) },
    preview: previewRoute(visits),
    files: fileRoutes(visits),
    codeImage: codeImageRoutes(image),
    print: printRoute(image),
    picture: pictureRoute({ ...visiting, images, limitImages, holderOf: limits.holderOf }),
  }
}

function programHandlers(describe: DescribeApi, services: Services) {
  const { links, scans, qr, domains, abuse, limits, origin, client, onDrain, keys, collections, shares, now, tls } =
    services
  const { linkOf } = services.visits
  const mayCreate = keys.requireHeader
  const { slots, turnToRender } = limits
  return {
    createLink: creationRoute({ links, origin, limits, mayCreate }),
    availability: availabilityRoute({ links, limits }),
    createLinks: bulkRoute({ links, origin, limits, drawCodeFile: qr.codeFiles(linkOf), turnToRender, mayCreate }),
    changeLinks: changesRoute({ links, origin, limits }),
    link: manageRoutes({ links, totals: scans.statedTotals, origin, limits }),
    history: historyRoutes({ links, totals: scans.statedTotals, origin, limits }),
    rotation: rotationRoutes({ links, origin, limits }),
    collections: collectionRoutes({ collections, scans, links, origin, limits, mayCreate }),
    collectionSheet: sheetRoutes({ collections, slots, turnToRender, origin }),
    collectionCodes: archiveRoutes({
      collections,
      drawCodeFile: qr.codeFiles(linkOf),
      turnToRender,
      slots,
      limits,
      origin,
    }),
    collectionChanges: collectionChangesRoutes({ collections, links, origin, limits }),
    collectionShares: collectionShareRoutes({ collections, shares, links, origin, limits }),
    ...imageHandlers(services),
    statistics: statisticsHandlers(services),
    collectionStatistics: {
      stats: collectionStatsRoutes({ collections, scans, slots, turnToRender, now }),
      scans: collectionExportRoutes({ collections, scans, slots }, 'csv'),
      scansNdjson: collectionExportRoutes({ collections, scans, slots }, 'ndjson'),
    },
    stream: streamRoutes({ scans, links, slots, onDrain }),
    report: reportRoute({ report: abuse.report, origin, client, limitReports: limits.each('reports') }),
    domain: domainRoutes({ domains, limits, mayCreate, certificateOf: tls?.certificates.report }),
    openApi: openApiRoute(describe, origin),
    problems: problemsRoute(),
  }
}

/** The handlers of images of any data, and of printed sheets. */
function imageHandlers({ qr, limits, links, collections, visits, origin, db }: Services) {
  const limitImages = limits.each('qr')
  const image = { images: qr.images, limitImages, holderOf: limits.holderOf }
  const printing = { db, links, collections, linkOf: visits.linkOf, origin, limits, limitImages, qr }
  return {
    dataImage: dataImageRoute(image),
    designedImage: designRoute(image),
    print: printSheetRoute(printing),
    calibration: calibrationRoute(printing),
  }
}

/** The handlers of the form that prints many codes. */
function labelHandlers({ qr, limits, links, collections, visits, origin, db }: Services) {
  const drawCodeFile = qr.codeFiles(visits.linkOf)
  const needs = { db, links, collections, linkOf: visits.linkOf, origin, limits, qr }
  return {
    ofLink: linkLabelsRoute(needs),
    ofCollection: collectionLabelsRoute(needs),
    archive: codesPageRoute({
      collections,
      drawCodeFile,
      turnToRender: limits.turnToRender,
      slots: limits.slots,
      limits,
      origin,
    }),
  }
}

/** The handlers of statistics: for the owner of a link, for readers of a share, and of many links. */
function statisticsHandlers({ links, scans, limits, shares, collections, db, origin, now }: Services) {
  const { slots } = limits
  const owner = ownerAccess(links)
  const reader = shareAccess({ shares, collections, scans, slots, turnToRender: limits.turnToRender, db, now })
  return {
    shares: shareRoutes({ shares, links, origin, limits }),
    owned: {
      stats: statsRoutes({ scans, access: owner, slots, now }),
      scans: exportRoutes({ scans, access: owner, slots }, 'csv'),
      scansNdjson: exportRoutes({ scans, access: owner, slots }, 'ndjson'),
      bundle: bundleRoutes({ scans, links, slots, now, origin }),
    },
    shared: {
      stats: statsRoutes({ scans, access: reader, slots, now }),
      scans: exportRoutes({ scans, access: reader, slots }, 'csv'),
      scansNdjson: exportRoutes({ scans, access: reader, slots }, 'ndjson'),
    },
    ofMany: manyStatsRoute({ scans, links, slots, now, limits }),
  }
}

/** The page of a collection, and the pictures of its looks. */
function collectionPageHandlers(services: Services, assets: Assets) {
  const { collections, shares, scans, links, origin, limits, keys: creation, qr, places, webhooks, now } = services
  const { turnToRender, slots } = limits
  const { isCreditDue } = places
  const reading = { collections, scans, slots, turnToRender, now }
  const page = {
    collections,
    shares: shares.ofCollections,
    scans,
    links,
    origin,
    limits,
    creation,
    hasWebhooks: webhooks.enabled,
    turnToRender,
    isCreditDue,
    reading,
    assets,
  }
  const { images, codeText } = qr
  const limitImages = limits.each('qr')
  return {
    collectionPage: collectionPageRoutes(page),
    lookImage: lookImageRoute({ collections, images, origin, codeText, limits, limitImages }),
    collectionSpreadsheet: spreadsheetRoute({ collections, links, origin, limits, turnToRender }),
  }
}

function browserHandlers(
  { log, describe }: { log: FastifyBaseLogger; describe: DescribeApi },
  { contact, scanRetention, redisUrl }: Config,
  services: Services,
) {
  const { links, qr, abuse, limits, origin, client, now, domains, tls, keys: creation } = services
  const { codeText, codeSvg } = qr
  const { turnToRender } = limits
  const assets = readAssets(log)
  return {
    ...linkPageHandlers(services, assets),
    ...collectionPageHandlers(services, assets),
    labels: labelHandlers(services),
    homePage: homeRoutes({ links, origin, limits, creation, codeText, assets }),
    bulkPage: bulkPageRoutes({ links, origin, limits, turnToRender, creation, codeText, codeSvg, assets }),
    domainPage: domainPageRoutes({
      domains,
      limits,
      creation,
      origin,
      now,
      certificateOf: tls?.certificates.report,
      assets,
    }),
    reportPage: reportPageRoutes({
      report: abuse.report,
      origin,
      client,
      limitReports: limits.each('reports'),
      contact,
    }),
    docsPage: docsRoute({ describe, origin, creation }),
    privacyPage: privacyRoute({ contact, origin, scanRetention, countsInRedis: redisUrl !== undefined }),
    // Files with fixed names, and those at `/assets/<name>-<hash>.<ending>`.
    files: [...siteFiles, ...assets.files],
    accent: accentRoute(),
  }
}

/** The pages of a link: its owner's, and that of a share. */
function linkPageHandlers(services: Services, assets: Assets) {
  const { links, scans, qr, places, limits, shares, webhooks, origin, now, collections, db } = services
  const { isCreditDue } = places
  const reading = { scans, slots: limits.slots, now }
  const shared = { ...reading, collections, db, shares, origin, turnToRender: limits.turnToRender }
  return {
    ownerPage: ownerPageRoutes({
      links,
      shares,
      hasWebhooks: webhooks.enabled,
      totals: scans.latestTotals,
      origin,
      limits,
      isCreditDue,
      codeText: qr.codeText,
      printable: qr.printable,
      turnToRender: limits.turnToRender,
      assets,
      reading,
    }),
    ...codePageHandlers(services, assets),
    statisticsFiles: statisticsFileRoutes({ links, ...shared }),
    sharePage: sharePageRoute({ ...shared, isCreditDue, assets }),
  }
}

/** The pages on which the code of a link is tried and printed. */
function codePageHandlers({ links, scans, qr, limits, origin, now }: Services, assets: Assets) {
  const { images, codeText } = qr
  return {
    tryPage: tryPageRoute({
      scans,
      slots: limits.slots,
      now,
      links,
      limits,
      totals: scans.latestTotals,
      origin,
      assets,
      images,
      codeText,
    }),
    printPage: printPageRoute({ links, limits, limitImages: limits.each('qr'), images, codeText, origin, assets }),
  }
}
