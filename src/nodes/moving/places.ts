import type { PostgresPlaces } from '../../moving/move.ts'
import { reasonOf } from '../database/errors.ts'
import { openPostgresSource } from './source.ts'
import { openPostgresTarget } from './target.ts'

/** The half of `quirl migrate` that is PostgreSQL's. */
export const postgresPlaces: PostgresPlaces = {
  openSource: openPostgresSource,
  openTarget: openPostgresTarget,
  reasonOf,
}
