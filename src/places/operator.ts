import { isIP } from 'node:net'
import type { OperatorOperations } from '../operator/socket.ts'
import { Problem } from '../http/problem.ts'
import { findIn } from './find.ts'
import type { Place, PlaceFile } from './record.ts'
import type { Source } from './source.ts'

/** A source, as `quirl places` shows it. */
export interface SourceStatus {
  name: string
  fault: string | null
  taken_at: number | null
  files: { type: string; built_at: number; size: number }[]
}

export interface PlacesResponse {
  sources: SourceStatus[]
  place?: Place
}

export interface PlaceOperatorDeps {
  files: () => readonly PlaceFile[]
  sources: readonly Source[]
  refresh: (all: boolean) => Promise<void>
}

/** The operation of `quirl places`. It looks up an address without recording or caching it. */
export function placeOperations({ files, sources, refresh }: PlaceOperatorDeps): OperatorOperations {
  return {
    async places({ address, refresh: isRequested }): Promise<PlacesResponse> {
      if (address !== undefined && (typeof address !== 'string' || isIP(address) === 0)) {
        throw new Problem('invalid_request', 'that is not an IP address')
      }
      if (isRequested === true) await refresh(true)
      return { sources: sources.map(statusOf), ...(address !== undefined && { place: findIn(files(), address) }) }
    },
  }
}

function statusOf({ name, fault, takenAt, files }: Source): SourceStatus {
  const shown = files.map(({ type, builtAt, size }) => ({ type, built_at: builtAt, size }))
  return { name, fault, taken_at: takenAt ?? null, files: shown }
}
