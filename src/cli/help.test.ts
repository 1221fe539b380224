import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, settings } from '../config/config.ts'
import { commands, groups } from './commands.ts'
import { commandHelp, helpText } from './help.ts'

test('--help lists every setting with its default', () => {
  assert.equal(readConfig(['--help'], {}).run, 'help')
  for (const { name, fallback } of Object.values(settings)) {
    const line = helpText(groups)
      .split('\n')
      .find((each) => each.startsWith('  --') && each.includes(` ${name} `))
    assert.ok(line?.includes(fallback ?? ''), name)
  }
})

test('the help has no marks and links of Markdown', () => {
  assert.doesNotMatch(helpText(groups), /`|\]\(/)
})

test('the help lists every command, and the help of a command lists its flags', () => {
  for (const command of commands) {
    assert.match(helpText(groups), new RegExp(`^  ${command.name} .*${command.summary}$`, 'm'))
    for (const flag of Object.keys(command.options ?? {})) assert.match(commandHelp(command), new RegExp(`--${flag}`))
  }
})
