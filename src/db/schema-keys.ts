/** Keys of the operator, with which links and domains are created. */
export interface CreationKeysTable {
  /** SHA-256 of the key, base64url. */
  key_hash: string
  /** Names the key for the operator. */
  name: string
  created_at: number
  /** The last day on which it was used, such as 2026-11-23, UTC; null before the first. */
  used_on: string | null
}
