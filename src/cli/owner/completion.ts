import { StartError } from '../../lib/start-error.ts'
import { singleArgument } from '../arguments.ts'
import type { Command } from '../command.ts'

type Shape = Pick<Command, 'name' | 'summary' | 'verbs' | 'options'>

const shells = {
  bash: (commands: readonly Shape[]) => `_quirl() {
  local word=\${COMP_WORDS[COMP_CWORD]} flags="" verbs=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "serve ${names(commands).join(' ')}" -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(bashCase).join('\n')}
  esac
  if [[ $COMP_CWORD -eq 2 && -n $verbs ]]; then COMPREPLY=($(compgen -W "$verbs" -- "$word")); return; fi
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$flags --help" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _quirl quirl
`,
  zsh: (commands: readonly Shape[]) => `#compdef quirl
_quirl() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${quote(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map(zshCase).join('\n')}
  esac
}
compdef _quirl quirl
`,
  fish: (commands: readonly Shape[]) =>
    commands
      .flatMap(({ name, summary, verbs = [], options = {} }) => [
        `complete -c quirl -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
        ...verbs.map(
          (verb) =>
            `complete -c quirl -n ${quote(`__fish_seen_subcommand_from ${name}`)} -a ${verb.name} -d ${quote(verb.summary)}`,
        ),
        ...Object.entries(options).map(
          ([flag, { doc }]) =>
            `complete -c quirl -n ${quote(`__fish_seen_subcommand_from ${name}`)} -l ${flag} -d ${quote(doc)}`,
        ),
      ])
      .join('\n'),
} as const

/** @param commands those to complete */
export function createCompletion(commands: () => readonly Shape[]): Command {
  return {
    name: 'completion',
    usage: '<shell>',
    summary: 'print what completes commands in bash, zsh or fish',
    async run({ args }) {
      const shell = singleArgument(args, 'shell: bash, zsh or fish')
      if (!Object.hasOwn(shells, shell)) throw new StartError(`${shell} is not bash, zsh or fish`)
      return shells[shell as keyof typeof shells](commands())
    },
  }
}

function bashCase({ name, verbs = [], options = {} }: Shape): string {
  const words = verbs.length === 0 ? '' : ` verbs="${names(verbs).join(' ')}"`
  return `    ${name}) flags="${flagsOf(options).join(' ')}"${words} ;;`
}

function zshCase({ name, verbs = [], options = {} }: Shape): string {
  const words = verbs.length === 0 ? '' : `(( CURRENT == 3 )) && compadd ${names(verbs).join(' ')}; `
  return `    ${name}) ${words}_arguments ${flagsOf(options).map(quote).join(' ')} '*:file:_files' ;;`
}

function names(commands: readonly Pick<Shape, 'name'>[]): string[] {
  return commands.map(({ name }) => name)
}

function flagsOf(options: object): string[] {
  return Object.keys(options).map((flag) => `--${flag}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
