import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Setting } from './setting.ts'

/** Flags by name, without dashes. */
export type Flags = Record<string, string | boolean | readonly string[] | undefined>

/** Where the value of a setting comes from, in the order of precedence. */
export type Source = 'flag' | 'environment' | '.env' | 'default' | 'unset'

/** A setting as it is set. */
export interface SetSetting {
  /** Its key in the configuration. */
  key: string
  setting: Setting<unknown>
  source: Source
  /** The text of its value. */
  text: string | undefined
  /** Its parsed value; undefined when it is unset or not allowed. */
  value: unknown
  /** Why its value is not allowed. Has no value of a secret setting. */
  fault: string | undefined
}

/** Every setting, and what `.env` sets besides: perhaps a misspelled name. */
export interface SetSettings {
  settings: SetSetting[]
  unknown: string[]
}

/** Reads every setting from the flags, the environment and the `.env` file. An empty value counts as unset. */
export function readSettings(
  table: Record<string, Setting<unknown>>,
  flags: Flags,
  env: NodeJS.ProcessEnv,
  dotEnvFile: string,
): SetSettings {
  const dotEnv = existsSync(dotEnvFile) ? parseEnv(readFileSync(dotEnvFile, 'utf8')) : {}
  const settings = Object.entries(table).map(([key, setting]): SetSetting => {
    const { name, fallback } = setting
    const sources: [Source, unknown][] = [
      ['flag', flags[flagOf(name)]],
      ['environment', env[name]],
      ['.env', dotEnv[name]],
      ['default', fallback],
    ]
    const [source, found] = sources.find(([, given]) => Boolean(given)) ?? ['unset', undefined]
    const text = typeof found === 'string' ? found : undefined
    const value = text === undefined ? undefined : setting.parse(text)
    return {
      key,
      setting,
      source,
      text,
      value,
      fault: text !== undefined && value === undefined ? faultOf(setting, text) : undefined,
    }
  })
  const names = new Set(Object.values(table).map(({ name }) => name))
  return { settings, unknown: Object.keys(dotEnv).filter((name) => !names.has(name)) }
}

function faultOf({ name, isSecret, allowed }: Setting<unknown>, text: string): string {
  return `${name}=${isSecret === true ? '…' : text} is not allowed: it must be ${allowed}`
}

/** The flag of a setting, without dashes. */
export function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** The text of a value without a password: of a URL, its user, host and path. */
export function withoutSecret({ setting, text }: SetSetting): string | undefined {
  if (text === undefined || setting.isSecret !== true) return text
  const url = URL.parse(text)
  if (url === null) return '…'
  const user = url.username === '' && url.password === '' ? '' : `${url.username}${url.password === '' ? '' : ':…'}@`
  return `${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : '?…'}`
}
